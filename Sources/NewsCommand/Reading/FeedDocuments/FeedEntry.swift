import Foundation
import ManagedContext
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
    var title: String?
    var bytes: Int?
    var seconds: Double?
  }

  /// See ``ArticleID``.
  var id: String
  var url: String?
  var title: String?
  var published: Date?
  var modified: Date?
  var authors: [Author] = []
  var tags: [String] = []
  var attachments: [File] = []
  var image: String?
  var language: String?
  var externalURL: String?
  var commentsURL: String?
  /// The address of the article's feed.
  var feedURL: String?
  var feedTitle: String?

  private let listed: ListedArticle

  init(_ listed: ListedArticle) {
    self.listed = listed
    let place = listed.feed?.url.withoutPassword
    feedURL = place.map { WebAddress.asciiText($0) }
    id = ArticleID.text(guid: listed[Article.Key.guid], feedURL: place)
    url = listed[Article.Key.url].map { WebAddress.asciiText($0) }
    title = listed[Article.Key.title]
    published = listed[Article.Key.published]
    modified = listed[Article.Key.modified]
    authors = Self.objects(listed, Article.Key.authors).map {
      Author(
        name: $0["name"]?.text, url: Self.address($0["url"]), email: $0["email"]?.text,
        avatar: Self.address($0["avatar"]))
    }
    tags = listed.withUTF8(of: Article.Key.tags) { json in
      if let json { StoredList.texts(json) } else { [] }
    }
    attachments = Self.objects(listed, Article.Key.attachments).compactMap { object in
      guard let url = Self.address(object["url"]) else { return nil }
      return File(
        url: url, type: object["mime_type"]?.text, title: object["title"]?.text,
        bytes: object["size_in_bytes"]?.integer,
        seconds: object["duration_in_seconds"]?.real)
    }
    image = listed[Article.Key.image].map { WebAddress.asciiText($0) }
    language = listed.language
    externalURL = listed[Article.Key.externalURL].map { WebAddress.asciiText($0) }
    commentsURL = listed[Article.Key.commentsURL].map { WebAddress.asciiText($0) }
    feedTitle = listed.feed?.shownTitle
  }

  // Long texts become a String only if one is needed.

  var summary: String? { listed[Article.Key.summary] }
  var contentHTML: String? { listed[Article.Key.contentHTML] }
  /// See ``Article/members``.
  var members: String? { listed[Article.Key.members] }

  /// Calls `body` with the UTF-8 of a text; see ``ListedArticle/withUTF8(of:_:)``.
  func withUTF8<Result>(of key: AttributeKey<String?>, _ body: (Span<UInt8>?) -> Result) -> Result {
    listed.withUTF8(of: key, body)
  }

  private static func address(_ value: StoredList.Value?) -> String? {
    value?.text.map { WebAddress.asciiText($0) }
  }

  private static func objects(
    _ listed: ListedArticle, _ key: AttributeKey<String?>
  ) -> [[String: StoredList.Value]] {
    listed.withUTF8(of: key) { json in
      if let json { StoredList.objects(json) } else { [] }
    }
  }
}
