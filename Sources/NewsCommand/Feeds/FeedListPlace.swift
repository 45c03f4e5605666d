import FeedImport
import FeedParsing
import Foundation
import NewsConfiguration
import NewsModel
import TextOutput
import WebAddress

/// The place of a feed list: a file, standard input, or an address.
enum FeedListPlace {
  case file(String)
  case address(WebAddress)

  /// - Throws: ``CommandFailure`` with status 65 for an invalid address.
  init(_ text: String) throws {
    guard InputFile.isAddress(text) else {
      self = .file(text)
      return
    }
    do throws(WebAddress.Problem) {
      self = .address(try WebAddress(listed: text))
    } catch {
      throw CommandFailure(.badInput, "\(WebAddress.withoutPassword(text)): \(error)")
    }
  }

  /// The place for messages.
  var name: String {
    switch self {
    case .file(let path): path
    case .address(let address): address.withoutPassword
    }
  }

  /// The text that means this place in every folder; nil for standard input.
  var key: String? {
    switch self {
    case .file("-"): nil
    case .file(let path): URL(filePath: path).standardizedFileURL.path
    case .address(let address): address.text
    }
  }

  /// A list and the validators of its download.
  struct Contents {
    let list: FeedList
    /// Nil for a file.
    var validators: SingleDownload.Validators?
  }

  /// Reads the list.
  ///
  /// - Parameters:
  ///   - validators: The validators of an earlier download.
  ///   - pauses: The pauses that servers have requested.
  ///   - load: Reads the configuration, for a download.
  /// - Returns: Nil if the list is the one that the validators belong to.
  /// - Throws: ``CommandFailure``: 65 for what is no list, 66 for a missing file, 69 for a failed download.
  func read(
    since validators: SingleDownload.Validators? = nil, obeying pauses: ServerPauses,
    _ load: () throws -> LoadedConfiguration
  ) async throws -> Contents? {
    guard case .address(let address) = self else {
      return Contents(list: try list(in: try InputFile.read(name, limit: 256 << 20)))
    }
    let loaded = try load()
    let document: SingleDownload.Document
    do throws(SingleDownload.Failure) {
      document = try await SingleDownload.document(
        at: address, userAgent: loaded.userAgent, publicOnly: loaded.configuration.fetch.publicOnly ?? false,
        since: validators, obeying: pauses)
    } catch {
      if error.status == 304 { return nil }
      let wait = error.notBefore.map { "; try again after \(localMinute($0)) (Retry-After)" } ?? ""
      throw CommandFailure(.unavailable, "\(name): \(error.cause)\(wait)")
    }
    return Contents(list: try list(in: document.bytes), validators: document.validators)
  }

  private func list(in bytes: [UInt8]) throws -> FeedList {
    let list: FeedList
    do throws(OPML.Failure) {
      list = try FeedList(bytes)
    } catch {
      throw CommandFailure(.badInput, "\(name): \(error.cause)")
    }
    // A text does not contain NUL bytes.
    guard !list.isText || !bytes.contains(0) else { throw FeedListPlan.noList(name) }
    return list
  }
}
