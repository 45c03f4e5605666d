import Foundation
import HTMLText
import ManagedContext
import NewsModel
import WebAddress

/// An article as feeds contain it, with decoded lists.
package struct FeedEntry {
  package struct Author: Equatable {
    package var name: String?
    package var url: String?
    package var email: String?
    var avatar: String?
  }

  package struct File: Equatable {
    package var url: String
    package var type: String?
    var title: String?
    package var bytes: Int?
    package var seconds: Double?
  }

  /// See ``ArticleID``.
  var id: String
  package var url: String?
  package var title: String?
  package var authors: [Author] = []
  package var attachments: [File] = []
  /// The language as the publisher wrote it.
  var language: String?
  /// The language as a tag (RFC 5646); nil if it is not known.
  var languageTag: String? { language.flatMap(SafeHTML.languageTag) }

  private let listed: ListedArticle

  package init(_ listed: ListedArticle) {
    self.listed = listed
    id = ArticleID.text(guid: listed[Article.schema.guid], feedURL: listed.feed?.url.withoutPassword)
    url = listed[Article.schema.url].map { WebAddress.asciiText($0) }
    title = listed[Article.schema.title]
    authors = Self.objects(listed, Article.schema.authors).map {
      Author(
        name: $0["name"]?.text, url: Self.address($0["url"]), email: $0["email"]?.text,
        avatar: Self.address($0["avatar"]))
    }
    attachments = Self.objects(listed, Article.schema.attachments).compactMap { object in
      guard let url = Self.address(object["url"]) else { return nil }
      return File(
        url: url, type: object["mime_type"]?.text, title: object["title"]?.text,
        bytes: object["size_in_bytes"]?.integer,
        seconds: object["duration_in_seconds"]?.real)
    }
    language = listed.language
  }

  // Values that not every format writes are read when they are needed.

  /// The feed's address.
  package var feedURL: String? { (listed.feed?.url.withoutPassword).map { WebAddress.asciiText($0) } }
  package var feedTitle: String? { listed.feed?.shownTitle }
  var published: Date? { listed[Article.schema.published] }
  var modified: Date? { listed[Article.schema.modified] }
  var tags: [String] {
    listed.withUTF8(of: Article.schema.tags) { json in
      if let json { StoredList.texts(json) } else { [] }
    }
  }
  var image: String? { listed[Article.schema.image].map { WebAddress.asciiText($0) } }
  package var externalURL: String? { listed[Article.schema.externalURL].map { WebAddress.asciiText($0) } }
  package var commentsURL: String? { listed[Article.schema.commentsURL].map { WebAddress.asciiText($0) } }
  /// See ``FirstWords/title(of:)``.
  var listTitle: String { listed.listTitle }
  var summary: String? { listed[Article.schema.summary] }
  var contentHTML: String? { listed[Article.schema.contentHTML] }
  var members: String? { listed[Article.schema.members] }

  /// Calls `body` with a text as UTF-8; see ``ListedArticle/withUTF8(of:_:)``.
  func withUTF8<Result>(of key: AttributeKey<String?>, _ body: (Span<UInt8>?) -> Result) -> Result {
    listed.withUTF8(of: key, body)
  }

  /// Calls `body` with the content, else the summary, as valid UTF-8; it is empty if the article has neither.
  func withBody(_ body: (_ html: Span<UInt8>, _ isContent: Bool) -> Void) {
    withUTF8(of: Article.schema.contentHTML) { content in
      if let content {
        Self.repair(content) { body($0, true) }
      } else {
        withUTF8(of: Article.schema.summary) { summary in
          if let summary { Self.repair(summary) { body($0, false) } } else { body(Span(), false) }
        }
      }
    }
  }

  /// Calls `body` with text in which invalid UTF-8 is U+FFFD. Other programs' statements can store such text.
  private static func repair(_ text: Span<UInt8>, _ body: (Span<UInt8>) -> Void) {
    if (try? UTF8Span(validating: text)) != nil { return body(text) }
    let repaired = text.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    body(Array(repaired.utf8).span)
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
