import Foundation
import NewsModel

/// A table `[query.NAME]`, which selects articles; commands name it `@NAME`. Its keys are command options.
struct QuerySettings: Sendable, Equatable {
  /// Regions, and other queries with an `@`; empty for all articles.
  var regions: [String] = []
  /// Feed addresses, or parts of them.
  var feeds: [String] = []
  /// The words that articles must have.
  var match: String?
  /// The other conditions, without dates.
  var choice = ArticleChoice()
  /// Dates as written: most are relative to the current time.
  var dates: [DateKey: String] = [:]
  /// The commands for articles that the query selects.
  var hooks = HookSettings()

  enum DateKey: String, CaseIterable {
    case since, until
    case importedSince = "imported_since"
  }

  /// The conditions on articles at this moment.
  var conditions: ArticleChoice {
    var choice = choice
    choice.since = date(.since)
    choice.until = date(.until)
    choice.importedSince = date(.importedSince)
    return choice
  }

  private func date(_ key: DateKey) -> Date? { dates[key].flatMap { try? Since(argument: $0).date } }

  var summary: String {
    var parts = regions.isEmpty ? ["all articles"] : [regions.joined(separator: " or ")]
    if !feeds.isEmpty { parts.append("of \(feeds.joined(separator: " or "))") }
    parts += DateKey.allCases.compactMap { key in
      dates[key].map { "\(key.rawValue.replacing("_", with: " ")) \($0)" }
    }
    for (mark, isSet) in choice.marks.sorted(by: { "\($0.key)" < "\($1.key)" }) {
      parts.append(mark == .read ? isSet ? "read" : "unread" : "starred")
    }
    if choice.isEdited { parts.append("edited") }
    if choice.hasAttachment { parts.append("with files") }
    if let match { parts.append("with the words \(match)") }
    if choice.hasCopies { parts.append("with copies") }
    if let limit = choice.limit { parts.append("at most \(limit)") }
    return parts.joined(separator: ", ")
  }
}

extension QuerySettings {
  init(_ section: ConfigurationSection) throws(ConfigurationError) {
    regions = try section.texts("regions") ?? []
    feeds = try section.texts("feeds") ?? []
    for (key, names) in [("regions", regions), ("feeds", feeds)] where names.contains("") {
      throw section.error(key, "a name is empty")
    }
    for key in DateKey.allCases {
      guard let text = try section.text(key.rawValue) else { continue }
      guard (try? Since(argument: text)) != nil else {
        throw section.error(key.rawValue, "'\(text)' is not a time; write it like \(Since.examples)")
      }
      dates[key] = text
    }
    if let since = date(.since), let until = date(.until), until <= since {
      throw section.error("until", "it is not later than since: no article is between them")
    }
    let (read, unread) = (try section.flag("read") ?? false, try section.flag("unread") ?? false)
    guard !read || !unread else { throw section.error("unread", "no article is both read and unread") }
    if read || unread { choice.marks[.read] = read }
    if try section.flag("starred") ?? false { choice.marks[.starred] = true }
    choice.isEdited = try section.flag("edited") ?? false
    choice.hasAttachment = try section.flag("with_attachment") ?? false
    choice.hasCopies = try section.flag("copies") ?? false
    choice.limit = try section.whole("limit")
    hooks = try HookSettings(section)
    if choice.limit != nil, let key = hooks.commandKeys.first {
      throw section.error(key, "a query with limit has no hook, which gets articles as they come; remove one")
    }
    match = try section.text("match")
    if let match {
      do throws(SearchLibrary.InvalidWords) {
        _ = try SearchLibrary.expression(match)
      } catch {
        throw section.error("match", "\(error.cause); see newsimport search --help")
      }
    }
  }
}
