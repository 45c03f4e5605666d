import ArgumentParser
import FeedImport
import FeedParsing
import Foundation
import NewsConfiguration
import NewsModel
import WebAddress
import TextOutput
import Sequences

/// `newsimport parse FILE|URL|-...`
struct ParseCommand: MainCommand {
  static let configuration = CommandConfiguration(
    commandName: "parse",
    abstract: "Print feeds as JSON Feed, one object per line, without using the store.",
    discussion: """
      A feed that cannot be read to its end is printed as far as possible, with the cause in _newsimport.error.
      In the line of a large feed, the items precede the other members of the feed.
      Exit status: 0 all files were feeds, 1 some were, 65 none was, 66 at least one file is missing, 69 no address could be downloaded.
      Example: newsimport parse feed.xml --format jsonl | jq -r '.items[].title'
      """)

  /// The values of `--format`.
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case jsonl
  }

  @Argument(
    help: ArgumentHelp("Files, or addresses of http and https; - is standard input.", valueName: "file"),
    completion: .file())
  var files: [String]
  @Option(help: "The format of the output.") var format = Format.jsonl
  @Option(
    help: ArgumentHelp("The address that relative addresses are resolved against.", valueName: "base"),
    transform: { try baseAddress($0) })
  var url: String?
  @Option(help: ArgumentHelp("The Content-Type of the file.", valueName: "type"))
  var contentType: String?
  @OptionGroup var configurationOptions: ConfigurationOptions

  func validate() throws {
    guard let charset = DocumentSource(contentType: contentType).unknownCharset else { return }
    throw ValidationError("Unknown charset '\(printable(charset))' in --content-type.")
  }

  func perform() async throws {
    var tally = Tally()
    let userAgent =
      try files.contains(where: InputFile.isAddress) ? configurationOptions.load().userAgent : ""
    for file in files {
      if Output.standard.isClosed { break }
      let printer = FeedLinePrinter(file: WebAddress.withoutPassword(file))
      do {
        try await read(file, userAgent, into: printer)
        try printer.finish()
        tally.feeds += 1
      } catch is FeedLinePrinter.OutputClosed {
        break
      } catch let error as FeedError {
        fail(file, error.description, printer)
        if printer.hasItems { tally.cut += 1 } else { tally.others += 1 }
      } catch let error as SingleDownload.Failure {
        fail(file, error.cause, printer)
        if printer.hasItems { tally.cut += 1 } else { tally.unreached += 1 }
      } catch let error as CommandFailure {
        if error.status == .noInput { tally.missing += 1 } else { tally.others += 1 }
        let message = error.message ?? "cannot be read"
        Output.error.warn(printable(message))
        printer.fail(message)
      }
    }
    Output.standard.finish()
    // A failure to write the output takes precedence over the results; ``Program`` reports it.
    if let status = tally.status, Output.standard.failure == nil { throw CommandFailure(status) }
  }

  @MainActor
  private func fail(_ file: String, _ cause: String, _ printer: FeedLinePrinter) {
    Output.error.warn("\(printable(WebAddress.withoutPassword(file))): \(printable(cause))")
    printer.fail(cause)
  }

  /// Passes the document to `printer` in pieces.
  @MainActor
  private func read(_ file: String, _ userAgent: String, into printer: FeedLinePrinter) async throws {
    if InputFile.isAddress(file) {
      let address = WebAddress(file)
      if let problem = address.problem {
        throw CommandFailure(.badInput, "\(address.withoutPassword): \(problem)")
      }
      do {
        try push(try await SingleDownload.document(at: address, userAgent: userAgent), into: printer)
      } catch let failure as SingleDownload.Failure {
        // The transfer's failure takes precedence over errors in the part that arrived.
        if let part = failure.part {
          do { try push(part, into: printer) } catch is FeedError {}
        }
        throw failure
      }
      return
    }
    printer.begin(DocumentSource(url: url, contentType: contentType))
    var size = 0
    try InputFile.forEachChunk(of: file) { chunk in
      size += chunk.count
      if size > largestFile { throw FeedError.limit(name: "bytes of a document", value: largestFile) }
      try printer.push(chunk)
    }
  }

  @MainActor
  private func push(_ document: SingleDownload.Document, into printer: FeedLinePrinter) throws {
    printer.begin(
      DocumentSource(
        url: url ?? document.address.text, contentType: contentType ?? document.contentType))
    for chunk in document.bytes.chunks(of: InputFile.chunkBytes) { try printer.push(chunk) }
  }
}

/// Checks the value of `--url`: an absolute address that relative addresses can be resolved against.
private func baseAddress(_ text: String) throws -> String {
  let parts = text.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
  let (scheme, place) = (parts[0].lowercased(), parts.dropFirst().first)
  let origin = place.map { "\(scheme)://\($0.prefix { !"/?#".contains($0) })" }
  let host = origin.flatMap { try? CurlURL($0) }?.host
  guard
    scheme == "file" && place != nil || ["http", "https", "ftp"].contains(scheme) && host?.isEmpty == false
  else {
    throw ValidationError("an address begins with a scheme and a host, such as https://example.org/feed")
  }
  return text
}

/// File counts by result.
private struct Tally {
  var feeds = 0
  var missing = 0
  var others = 0
  /// Addresses that could not be downloaded.
  var unreached = 0
  /// Feeds that could be read only in part.
  var cut = 0

  /// Nil if all files were feeds.
  var status: ExitStatus? {
    if missing > 0 { return .noInput }
    if others + unreached + cut == 0 { return nil }
    if feeds + cut > 0 { return .someFeedsFailed }
    return others == 0 ? .unavailable : .badInput
  }
}

/// The largest file that is read, in bytes; no feed is that large.
private let largestFile = 2 << 30
