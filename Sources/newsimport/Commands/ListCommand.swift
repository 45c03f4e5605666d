import ArgumentParser
import FeedImport
import Foundation
import ManagedContext
import NewsModel

/// `newsimport list REGION`
struct ListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the articles of a region, newest first.",
    discussion: """
      Examples:
        newsimport list world --since 1d --limit 20
        newsimport list world --json --fields title,url,content_html
      """)

  @OptionGroup var storeOptions: StoreOptions
  @Argument(help: "The region.", completion: .regions) var region: String
  @Option(
    help: "Only articles since then: 90m, 12h, 1d, 2w, or a date such as 2026-11-21.",
    transform: Since.init(argument:))
  var since: Since?
  @Flag(help: "Only articles that are not marked read.") var unread = false
  @Flag(help: "Only starred articles.") var starred = false
  @Option(help: "At most so many.") var limit: Int?
  @Flag(
    help:
      "One JSON object a line, with the fields \(ArticleField.standard.map(\.rawValue).joined(separator: ", "))."
  )
  var json = false
  @Flag(help: "With --json: content_html, too.") var full = false
  @Option(
    help: "With --json: just these fields, separated by commas.", transform: ArticleField.list(argument:))
  var fields: [ArticleField]?

  func validate() throws {
    if let limit, limit < 1 { throw ValidationError("--limit is a number from 1.") }
    if (full || fields != nil) && !json { throw ValidationError("--full and --fields go with --json.") }
  }

  func run() async throws {
    try await printArticles(self)
  }
}

extension ListCommand {
  /// How the articles must be marked that are listed.
  fileprivate var marks: [ArticleMark: Bool] {
    var marks: [ArticleMark: Bool] = [:]
    if unread { marks[.read] = false }
    if starred { marks[.starred] = true }
    return marks
  }
}

/// The least age of what is listed: a span before now, or a date.
struct Since: Equatable {
  let date: Date

  /// Reads an argument.
  ///
  /// - Throws: `ValidationError` for what is neither.
  init(argument: String) throws {
    let digits = argument.prefix(while: \.isNumber)
    let units: [String: Double] = ["s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400]
    if let number = Double(digits), let unit = units[String(argument.dropFirst(digits.count))] {
      date = Date(timeIntervalSinceNow: -number * unit)
    } else if let day = try? Date(argument, strategy: .iso8601.year().month().day()), argument.count == 10 {
      date = day
    } else if let moment = try? Date(argument, strategy: .iso8601) {
      date = moment
    } else {
      throw ValidationError("'\(argument)' is no time; write it like 12h, 1d or 2026-11-21.")
    }
  }
}

/// A field of an article in JSON; a contract with scripts.
enum ArticleField: String, CaseIterable {
  case id, guid, feed, title, url, published, modified, authors, tags, summary
  case contentHTML = "content_html"
  case attachments, image, language, imported, edits

  /// What is printed where nothing else is asked for.
  static let standard: [ArticleField] = [
    .id, .guid, .feed, .title, .url, .published, .modified, .authors, .tags, .summary,
  ]

  /// Reads a list of names.
  ///
  /// - Throws: `ValidationError` that names the one that is unknown.
  static func list(argument: String) throws -> [ArticleField] {
    try argument.split(separator: ",").map { name in
      guard let field = ArticleField(rawValue: name.trimmingCharacters(in: .whitespaces)) else {
        let known = allCases.map(\.rawValue).joined(separator: ", ")
        throw ValidationError("'\(name)' is no field; there are \(known).")
      }
      return field
    }
  }

  /// Adds the field of an article to a line.
  func add(_ article: Article, _ feed: Feed?, to line: inout JSONLine) {
    switch self {
    case .id: line.add(rawValue, Int(article.id.key))
    case .guid: line.add(rawValue, article.guid)
    case .feed: line.add(rawValue, feed.map { FeedAddress.printable($0.url) })
    case .title: line.add(rawValue, article.title)
    case .url: line.add(rawValue, article.url)
    case .published: line.add(rawValue, article.published)
    case .modified: line.add(rawValue, article.modified)
    case .authors: line.addRaw(rawValue, article.authors.map(printable) ?? "[]")
    case .tags: line.addRaw(rawValue, article.tags.map(printable) ?? "[]")
    case .summary: line.add(rawValue, article.summary)
    case .contentHTML: line.add(rawValue, article.contentHTML)
    case .attachments: line.addRaw(rawValue, article.attachments.map(printable) ?? "[]")
    case .image: line.add(rawValue, article.image)
    case .language: line.add(rawValue, article.language)
    case .imported: line.add(rawValue, article.imported)
    case .edits: line.add(rawValue, article.edits)
    }
  }
}

@MainActor
private func printArticles(_ command: ListCommand) async throws {
  let stack = try NewsStack.existing(command.storeOptions, forRegion: command.region)
  try stack.readAttachments()
  _ = try stack.region(named: command.region)
  let fields = command.fields ?? ArticleField.standard + (command.full ? [.contentHTML] : [])
  let columns = Output.standard.columns
  var isEmpty = true
  try stack.reading {
    try stack.source.forEachArticle(
      ofRegionNamed: command.region, since: command.since?.date, marked: command.marks, limit: command.limit
    ) { article, feed in
      isEmpty = false
      if command.json {
        var line = JSONLine()
        for field in fields { field.add(article, feed, to: &line) }
        Output.standard.write(line.line)
      } else {
        Output.standard.write(ArticleLine(article, feed).text(columns: columns))
      }
      return !Output.standard.isClosed
    }
  }
  if isEmpty && !command.json {
    let hint =
      command.since != nil
      ? "Try an earlier --since"
      : command.marks.isEmpty
        ? "Next: newsimport fetch \(printable(command.region))"
        : "Next: newsimport list \(printable(command.region))"
    Output.error.write("no articles.   \(hint)\n")
  }
}
