import Foundation
import NewsModel
import WebAddress

/// An article as feeds contain it, with decoded lists.
struct FeedEntry {
  struct Author: Equatable {
    var name: String?
    var url: String?
    var email: String?
    var avatar: String?
  }

  struct File: Equatable {
    var url: String
    var type: String?
    var bytes: Int?
    var seconds: Double?
  }

  /// See ``ArticleID``.
  var id: String
  var url: String?
  var title: String?
  var summary: String?
  var contentHTML: String?
  var published: Date?
  var modified: Date?
  var authors: [Author] = []
  var tags: [String] = []
  var attachments: [File] = []
  var image: String?
  var language: String?
  var externalURL: String?
  var commentsURL: String?
  /// See ``Article/members``.
  var members: String?
  /// The address of the article's feed.
  var feedURL: String?
  var feedTitle: String?

  init(_ listed: ListedArticle) {
    let article = listed.article
    feedURL = listed.feed.map { $0.url.withoutPassword }
    id = ArticleID.text(guid: article.guid, feedURL: feedURL)
    url = article.url
    title = article.title
    summary = article.summary
    contentHTML = article.contentHTML
    published = article.published
    modified = article.modified
    authors = Self.objects(article.authors).map {
      Author(
        name: $0["name"] as? String, url: $0["url"] as? String, email: $0["email"] as? String,
        avatar: $0["avatar"] as? String)
    }
    tags = Self.value(article.tags) as? [String] ?? []
    attachments = Self.objects(article.attachments).compactMap { object in
      guard let url = object["url"] as? String else { return nil }
      return File(
        url: url, type: object["mime_type"] as? String, bytes: object["size_in_bytes"] as? Int,
        seconds: object["duration_in_seconds"] as? Double)
    }
    image = article.image
    language = article.language
    externalURL = article.externalURL
    commentsURL = article.commentsURL
    members = article.members
    feedTitle = listed.feed?.shownTitle
  }

  private static func objects(_ json: String?) -> [[String: Any]] {
    value(json) as? [[String: Any]] ?? []
  }

  /// Returns the value of a JSON array from the store.
  private static func value(_ json: String?) -> Any? {
    json.flatMap { try? JSONSerialization.jsonObject(with: Data($0.utf8)) }
  }
}
