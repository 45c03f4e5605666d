import ArgumentParser
import FeedImport
import FeedParsing
import Foundation

/// `newsimport parse FILE|URL|-...`
struct ParseCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "parse",
    abstract: "Print feeds as JSON Feed, one object a line; the store is not touched.",
    discussion: """
      Exit status: 0 all were feeds, 1 some, 65 none, 66 a file is missing.
      Example: newsimport parse feed.xml --format jsonl | jq -r '.items[].title'
      """)

  /// What `--format` can be.
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case jsonl
  }

  @Argument(help: ArgumentHelp("Files; - is standard input.", valueName: "file")) var files: [String]
  @Option(help: "The form of the output.") var format = Format.jsonl
  @Option(help: ArgumentHelp("The address that relative addresses are resolved against.", valueName: "base"))
  var url: String?
  @Option(help: ArgumentHelp("The Content-Type that the file came with.", valueName: "type"))
  var contentType: String?

  func run() async throws {
    try await printFeeds(self)
  }
}

/// How many of the files were what.
private struct Tally {
  var feeds = 0
  var missing = 0
  var others = 0

  /// Nil when all were feeds.
  var status: ExitStatus? {
    if missing > 0 { return .noInput }
    if others == 0 { return nil }
    return feeds == 0 ? .badInput : .someFeedsFailed
  }
}

@MainActor
private func printFeeds(_ command: ParseCommand) async throws {
  var tally = Tally()
  for file in command.files {
    do {
      let feed = try await parsedFeed(file, command)
      tally.feeds += 1
      Output.standard.write(JSONFeedLine.encode(feed, file: file) + [UInt8(ascii: "\n")])
    } catch let error as FeedError {
      tally.others += 1
      fail(file, error.description, JSONFeedLine.encode(error: error, file: file))
    } catch let error as SingleDownload.Failure {
      tally.others += 1
      fail(file, error.cause, JSONFeedLine.encode(error: error.cause, file: file))
    } catch let error as CommandFailure {
      if error.status == .noInput { tally.missing += 1 } else { tally.others += 1 }
      let message = error.message ?? "cannot be read"
      Output.error.write("newsimport: \(printable(message))\n")
      Output.standard.write(JSONFeedLine.encode(error: message, file: file) + [UInt8(ascii: "\n")])
    }
    if Output.standard.isClosed { break }
  }
  if let status = tally.status { throw CommandFailure(status) }
}

@MainActor
private func fail(_ file: String, _ cause: String, _ line: [UInt8]) {
  Output.error.write("newsimport: \(printable(FeedAddress.printable(file))): \(printable(cause))\n")
  Output.standard.write(line + [UInt8(ascii: "\n")])
}

@MainActor
private func parsedFeed(_ file: String, _ command: ParseCommand) async throws -> ParsedFeed {
  if file.hasPrefix("http://") || file.hasPrefix("https://") {
    let document = try await SingleDownload.document(at: file, userAgent: Version.userAgent)
    let source = DocumentSource(
      url: command.url ?? document.url, contentType: command.contentType ?? document.contentType)
    return try ParsedFeed.parse(document.bytes, source: source)
  }
  let source = DocumentSource(url: command.url, contentType: command.contentType)
  var size = 0
  return try ParsedFeed.parse(source: source) { push in
    try InputFile.forEachChunk(of: file) { chunk in
      size += chunk.count
      if size > largestFile { throw FeedError.limit(name: "bytes of a document", value: largestFile) }
      try push(chunk)
    }
  }
}

/// A larger file is no feed that could be printed as one line, in bytes.
private let largestFile = 2 << 30
