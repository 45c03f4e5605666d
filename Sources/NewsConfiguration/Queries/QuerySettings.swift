import ArticleDocuments
import Foundation
import NewsModel

/// A table `[query.NAME]`, which selects articles; commands name it `@NAME`. Its keys are command options.
package struct QuerySettings: Sendable, Equatable {
  /// The conditions without dates.
  private var undated = ArticleRequest()
  /// Dates as written: most are relative to the current time.
  private var dates: [DateKey: String] = [:]
  /// The commands for articles that the query selects.
  package var hooks = HookSettings()

  private enum DateKey: String, CaseIterable {
    case since, until
    case importedSince = "imported_since"
  }

  /// Regions; empty for all articles.
  package var regions: [String] { undated.names }

  /// The articles of the query at this moment.
  package var request: ArticleRequest {
    var request = undated
    request.choice.since = date(.since)
    request.choice.until = date(.until)
    request.choice.importedSince = date(.importedSince)
    return request
  }

  private func date(_ key: DateKey) -> Date? { dates[key].flatMap { Since($0)?.date } }

  package var summary: String {
    let choice = undated.choice
    var parts = regions.isEmpty ? ["all articles"] : [regions.joined(separator: " or ")]
    if !undated.feeds.isEmpty { parts.append("of \(undated.feeds.joined(separator: " or "))") }
    parts += DateKey.allCases.compactMap { key in
      dates[key].map { "\(key.rawValue.replacing("_", with: " ")) \($0)" }
    }
    parts += choice.states
    if let match = undated.match { parts.append("with the words \(match)") }
    if choice.hasCopies { parts.append("with copies") }
    if let limit = choice.limit { parts.append("at most \(limit)") }
    return parts.joined(separator: ", ")
  }
}

extension QuerySettings {
  init(_ section: ConfigurationSection) throws(ConfigurationError) {
    undated.names = try section.texts("regions") ?? []
    if let query = undated.names.first(where: { $0.hasPrefix("@") }) {
      throw section.error("regions", "'\(query)' is a query; write its conditions here, too")
    }
    undated.feeds = try section.texts("feeds") ?? []
    for (key, names) in [("regions", undated.names), ("feeds", undated.feeds)] where names.contains("") {
      throw section.error(key, "a name is empty")
    }
    for key in DateKey.allCases {
      guard let text = try section.text(key.rawValue) else { continue }
      guard Since(text) != nil else {
        throw section.error(key.rawValue, "'\(text)' is not a time; write it like \(Since.examples)")
      }
      dates[key] = text
    }
    if let since = date(.since), let until = date(.until), until <= since {
      throw section.error("until", "it is not later than since: no article is between them")
    }
    let (read, unread) = (try section.flag("read") ?? false, try section.flag("unread") ?? false)
    guard !read || !unread else { throw section.error("unread", "no article is both read and unread") }
    if read || unread { undated.choice.marks[.read] = read }
    if try section.flag("starred") ?? false { undated.choice.marks[.starred] = true }
    undated.choice.isEdited = try section.flag("edited") ?? false
    undated.choice.hasAttachment = try section.flag("with_attachment") ?? false
    undated.choice.hasCopies = try section.flag("copies") ?? false
    undated.choice.limit = try section.whole("limit")
    hooks = try HookSettings(section)
    if undated.choice.limit != nil, let key = hooks.commandKeys.first {
      throw section.error(key, "a query with limit has no hook, which gets articles as they come; remove one")
    }
    undated.match = try section.text("match")
    if let match = undated.match {
      do throws(ArticleSearch.InvalidWords) {
        _ = try ArticleSearch.expression(match)
      } catch {
        throw section.error("match", "\(error.cause); see newsimport search --help")
      }
    }
  }
}
