import ArgumentParser
import FeedImport
import Foundation
import ManagedContext
import NewsConfiguration
import NewsModel
import OtherPrograms
import TextOutput
import WebAddress

/// `newsimport import FILE|FOLDER|-...`
struct ImportCommand: SavingCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Import the articles of files; nothing is fetched.",
    discussion: """
      Reads RSS, Atom and JSON Feed, also compressed with gzip, bzip2, xz or zstd and in tar, cpio, zip and 7z archives, whatever the names of the files. \
      Folders are read with the folders in them; names that begin with a dot and symbolic links in folders and archives are \
      skipped. The articles go the same way as those of a fetch: known \
      ones are not saved again, changed ones are edits, and filters apply. After a change, the next fetch reads the whole feed, so that it restores a newer text.
      The articles belong to the feed at --feed, or else to the feed whose address the document states, or else to a feed \
      that is named after the file (file:///...), which is never fetched. A missing feed is added; with --region, to a \
      region.
      A document that was imported before, with the same path and bytes, is passed over. So an import that was stopped can \
      be started again.
      It also reads the output of newsimport list --json --full, in which each line names its feed, and the JSON of Google Reader \
      (starred.json), which Inoreader, FreshRSS and others write. With --from, the files of another program are only read; the \
      tags of newsboat's file urls become regions, and flags become stars. An article that the store has gets the marks of such \
      lines and programs, and is otherwise not changed by them. If a new article occurs twice, the last line wins, and the \
      marks add up.
      Exit status: 0 all documents were imported, 1 some were, or a hook failed, or texts of another program are kept in part, 65 none was, 66 at least one file is missing.
      Examples:
        newsimport import --region tech saved-feeds/
        newsimport import --feed file:old-blog 2019.xml 2020.xml.gz
        ssh host tar c feeds | newsimport import -
        newsimport import --feed https://example.org/feed - < feed.xml
        newsimport import --from newsboat ~/.newsboat/cache.db ~/.newsboat/urls
        newsimport import --from sfeed ~/.sfeed
        newsimport import --from reader starred.json
      """)

  /// The values of `--from`.
  enum OtherProgram: String, ExpressibleByArgument, CaseIterable {
    case newsboat, sfeed, reader
  }

  @Argument(
    help: ArgumentHelp("Files and folders; - is standard input.", valueName: "file"), completion: .file())
  var files: [String]
  @OptionGroup var storeOptions: StoreOptions
  @OptionGroup var configurationOptions: ConfigurationOptions
  @Option(
    help: ArgumentHelp(
      "Import the feeds, articles and marks of newsboat (its folder, or cache.db, then urls), of sfeed (its folder), or of files in the JSON of Google Reader.",
      valueName: "program"))
  var from: OtherProgram?
  @Option(help: "The region for the feeds; it is created if necessary.", completion: .regions)
  var region: String?
  @Option(
    help: ArgumentHelp(
      "The address of the feed that all documents belong to; file:NAME for one that is never fetched.",
      valueName: "url"))
  var feed: String?
  @Option(
    help: "The largest document, in bytes (default: 32MiB).", transform: ByteCount.init(argument:))
  var maxBody: ByteCount?
  @Flag(help: "Read documents again that were imported before.") var again = false
  @Flag(help: "Count the new and edited articles of each document, and save nothing.") var dryRun = false
  @Flag(
    help:
      "One JSON object for each document: file, feed, outcome, inserted, edited, skipped, error, failed_lines."
  )
  var json = false
  @Flag(name: .shortAndLong, help: "Print only failures, also with --json.") var quiet = false

  func validate() throws {
    guard files.count(where: { $0 == "-" }) <= 1 else {
      throw ValidationError("Standard input (-) can be read only once.")
    }
    guard from == nil || feed == nil else { throw ValidationError("Give --from or --feed, not both.") }
    guard from != .newsboat || files.count <= 2 else {
      throw ValidationError("Name newsboat's folder, or its cache.db, and its file urls after it.")
    }
    guard from != .sfeed || files.count == 1 else { throw ValidationError("Name the folder of sfeed.") }
  }

  func perform() async throws {
    if let region { try checkRegionName(region) }
    var plan = DocumentImport.Plan(arguments: files)
    plan.feed = try feed.map(address)
    plan.region = region
    if from == .reader {
      plan.isOfReader = true
    } else if let from {
      (plan.converted, plan.arguments) = (try conversion(from), [])
    }
    plan.readsAgain = again
    plan.isDryRun = dryRun
    try await ImportRunner(self, plan, configurationOptions.load()).run()
  }

  /// Returns the reader for another program's files.
  @MainActor
  private func conversion(_ program: OtherProgram) throws -> DocumentImport.Plan.Conversion? {
    let path = files[0]
    try InputFile.checkExists(path)
    switch program {
    case .newsboat:
      let found = try newsboatFiles(path, urls: files.dropFirst().first)
      for warning in found.warnings { Output.error.warn(printable(warning)) }
      let cache = NewsboatCache(path: found.cache, urls: found.urls)
      return { visit in cache.forEachFeed(visit).map { [(found.cache, $0)] } ?? [] }
    case .sfeed:
      let folder = SfeedFolder(path: path)
      for warning in folder.warnings { Output.error.warn(printable(warning)) }
      return { visit in folder.forEachFeed(visit) }
    case .reader: return nil
    }
  }

  /// - Parameters:
  ///   - path: The path to `cache.db` or its folder.
  ///   - named: The path to the file `urls`; nil for the usual one.
  private func newsboatFiles(_ path: String, urls named: String?) throws -> NewsboatFiles {
    var found = NewsboatFiles(path)
    try InputFile.checkExists(found.cache)
    if let cause = InputFile.refusal(of: found.cache) {
      throw CommandFailure(.badInput, "\(found.cache): \(cause)")
    }
    guard let named else {
      found.findURLs()
      return found
    }
    let bytes = try InputFile.read(named, limit: NewsboatFiles.largestList)
    let text = String(decoding: bytes, as: UTF8.self)
    if let cause = NewsboatURLs.mistake(inURLs: text) {
      throw CommandFailure(.badInput, "\(printable(named)): not newsboat's file urls: \(printable(cause))")
    }
    found.read(text, of: named)
    return found
  }

  private func address(_ text: String) throws -> WebAddress {
    let named = WebAddress(text)
    if named.isFile {
      guard text.utf8.count > "file:".utf8.count, withEscapes(text) == text,
        !text.contains(where: \.isWhitespace)
      else {
        throw CommandFailure(
          .badInput, "\(text): not the name of a feed: write file:NAME, without white space")
      }
      return named
    }
    do throws(WebAddress.Problem) {
      return try WebAddress(listed: text)
    } catch {
      let name = text.split(whereSeparator: { $0.isWhitespace || $0 == "/" || $0 == ":" }).first ?? "NAME"
      throw CommandFailure(
        .badInput,
        "--feed \(WebAddress.withoutPassword(text)): \(error); write such an address, or file:\(name) for a feed that is "
          + "never fetched")
    }
  }
}
