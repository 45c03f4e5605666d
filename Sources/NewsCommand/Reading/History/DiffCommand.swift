import ArgumentParser
import ArticleDocuments
import Foundation
import ManagedContext
import NewsModel
import TextOutput

/// `newsimport diff ID [--from N] [--to N]`
struct DiffCommand: PagedCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Show what the publisher changed in an article.",
    discussion: """
      Versions are numbered from 1, as the article was first imported; the last one is the current article. By default, it is \
      compared with the one before it. Each changed passage is a line with - and one with +. Unchanged words in the middle of \
      a text are omitted. HTML is compared by its words.
      Examples:
        newsimport diff 4711
        newsimport diff 4711 --from 1 --markup
        newsimport list --edited --fields id | xargs -n 1 newsimport diff
      """)

  @OptionGroup var storeOptions: StoreOptions
  @Argument(help: ArgumentHelp("The article's number, as newsimport list prints it.", valueName: "id"))
  var id: String
  @Option(help: ArgumentHelp("The older version (default: the one before --to).", valueName: "n"))
  var from: Int?
  @Option(help: ArgumentHelp("The newer version (default: the current one).", valueName: "n")) var to: Int?
  @Flag(help: "Compare the source of HTML instead of its words.") var markup = false
  @Flag(help: "One JSON object with the old and new values.") var json = false
  @OptionGroup var paging: PagerOptions
  var pagerConfiguration: ConfigurationOptions? { nil }

  func validate() throws {
    guard ArticleNumber(argument: id) != nil else {
      throw ValidationError(
        "'\(id)' is not the number of an article; newsimport list shows the numbers.")
    }
    guard let from, let to, from > to else { return }
    throw ValidationError("--from \(from) is newer than --to \(to); exchange them.")
  }

  func perform() async throws {
    guard let number = ArticleNumber(argument: id) else { return }
    let stack = try NewsStack.needed(storeOptions, for: .reading)
    let article = try stack.existingArticle(number)
    try stack.warnOfMissingVersions()
    let history = try stack.history(of: article, number)
    let to = self.to ?? history.current
    try history.check(to)
    let from = self.from ?? max(history.former.first?.number ?? to, to - 1)
    try history.check(from)
    guard from <= to else {
      throw CommandFailure(.usage, "--from \(from) is newer than the current version \(to)")
    }
    let changes = FieldChange.all(
      from: try stack.values(from, of: article), to: try stack.values(to, of: article),
      comparesMarkup: markup)
    let page = DifferencePage(history, from: from, to: to, changes)
    if json {
      writeJSON(page.json)
    } else if changes.isEmpty {
      Output.error.print(page.noDifference)
    } else {
      Output.standard.write(page.text(on: .standard))
    }
  }
}
