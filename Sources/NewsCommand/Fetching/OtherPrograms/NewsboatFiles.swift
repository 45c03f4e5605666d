import Foundation
import TextOutput

/// The files of newsboat that an import reads.
struct NewsboatFiles {
  /// The path of `cache.db`.
  let cache: String
  /// The file `urls`; nil if there is none.
  private(set) var urls: NewsboatURLs?
  /// What of the file `urls` is not imported, or not as it is in newsboat.
  private(set) var warnings: [String] = []

  private static let largestList = 16 << 20

  /// Finds the files, and reads `urls`.
  ///
  /// - Parameters:
  ///   - path: The path of `cache.db`, or of its folder.
  ///   - named: The path of the file `urls`; nil for the one beside `cache.db`.
  /// - Throws: ``CommandFailure`` if a file is missing or is another one.
  init(_ path: String, urls named: String?) throws {
    var isFolder: ObjCBool = false
    _ = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
    cache = isFolder.boolValue ? (path as NSString).appendingPathComponent("cache.db") : path
    if isFolder.boolValue, !FileManager.default.fileExists(atPath: cache) {
      throw CommandFailure(.noInput, "\(path): the folder has no cache.db")
    }
    if let cause = InputFile.refusal(of: cache) { throw CommandFailure(.badInput, "\(cache): \(cause)") }
    if let named {
      let text = String(decoding: try InputFile.read(named, limit: Self.largestList), as: UTF8.self)
      if let cause = NewsboatURLs.mistake(inURLs: text) {
        throw CommandFailure(.badInput, "\(printable(named)): not newsboat's file urls: \(printable(cause))")
      }
      read(text, of: named)
    } else {
      for path in Self.usualPaths(besideCache: cache) {
        guard let bytes = try? InputFile.read(path, limit: Self.largestList) else { continue }
        let text = String(decoding: bytes, as: UTF8.self)
        // Another file may have this name.
        guard NewsboatURLs.mistake(inURLs: text) == nil else { continue }
        read(text, of: path)
        break
      }
    }
  }

  /// Returns where the file `urls` may be: beside `cache.db`, or in the folder of configurations (XDG Base Directory Specification).
  private static func usualPaths(besideCache cache: String) -> [String] {
    let folder =
      ((cache as NSString).resolvingSymlinksInPath as NSString).deletingLastPathComponent as NSString
    var paths = [folder.appendingPathComponent("urls")]
    let parts = folder.pathComponents
    if parts.suffix(3) == [".local", "share", "newsboat"] {
      let home = NSString.path(withComponents: Array(parts.dropLast(3))) as NSString
      paths.append(home.appendingPathComponent(".config/newsboat/urls"))
    }
    return paths
  }

  private mutating func read(_ text: String, of path: String) {
    let urls = NewsboatURLs(text)
    self.urls = urls
    let queries = NewsboatURLs.queries(in: text)
    if queries > 0 {
      warnings.append(
        "\(path): \(counted(queries, "query", "queries")) not imported; write each as a table [query.NAME] in the configuration"
      )
    }
    if !urls.hidden.isEmpty {
      let (number, verb) = (urls.hidden.count, urls.hidden.count == 1 ? "is" : "are")
      warnings.append(
        "\(path): \(counted(number, "feed")) that newsboat hides (!) \(verb) imported as others")
    }
  }
}
