import ArgumentParser
import Foundation
import NewsConfiguration
import NewsModel

/// `newsimport archive --before DATE --to FILE`
struct ArchiveCommand: SavingCommand {
  static let configuration = CommandConfiguration(
    commandName: "archive",
    abstract: "Move old articles to another store, which is attached.",
    discussion: """
      Examples:
        newsimport archive --before 2026-01-01 --to ~/news/2025.sqlite
        newsimport archive world --before 52w --to old.sqlite --dry-run
        newsimport list --until 2026-01-01

      The articles stay in lists, searches and exports, because the file is attached: newsimport store list. Their numbers \
      are then those in the file, such as 2025:4711. The file may exist already, from an earlier run. Read marks and all \
      copies of a story are moved along. Starred articles stay, and those that wait for a hook. An article that was moved \
      is not imported again, even if its feed still lists it.
      A run that was stopped loses nothing; the next one goes on. newsimport store vacuum gives the space back to the disk.
      """)

  @OptionGroup var storeOptions: StoreOptions
  @OptionGroup var configurationOptions: ConfigurationOptions
  @OptionGroup var sources: ArticleSources
  @Option(
    help: ArgumentHelp("Articles before then, such as 52w or 2026-01-01.", valueName: "date"),
    transform: Since.init(argument:))
  var before: Since
  @Option(
    help: ArgumentHelp("The store to move them to; it is created if it does not exist.", valueName: "file"),
    completion: .file())
  var to: String
  @Option(help: "The name of the attached store (default: the file's name without its extension).")
  var name: String?
  @OptionGroup var feeds: FeedOptions
  @OptionGroup var conditions: ConditionOptions
  @OptionGroup var words: MatchOptions
  @Option(
    parsing: .unconditional, help: "The largest number of articles.", transform: limitOfArticles)
  var limit: Int?
  @Flag(help: "Print how many articles would be moved, and move nothing.") var dryRun = false
  @Flag(help: "One JSON object: store, path, moved, starred, waiting, left.") var json = false

  func validate() throws {
    guard !to.isEmpty else { throw ValidationError("--to needs the name of a file.") }
    try Since.checkSpan(from: conditions.since?.date, to: before.date, "--before")
  }

  /// The articles to move; every copy, because each feed lists its own.
  func request() throws -> ArticleRequest {
    var request = try feeds.request(of: sources.names, conditions, words)
    (request.choice.until, request.choice.limit, request.choice.hasCopies) = (before.date, limit, true)
    return request
  }

  func perform() async throws {
    try await ArchiveRun(self).run()
  }
}
