import FeedImport
import FeedParsing
import ManagedContext
import NewsModel
import SQLiteStore

/// An article in newsboat's `cache.db`.
struct NewsboatArticle {
  private let guid: String
  private let url: String?
  private let title: String?
  private let date: Int64
  private let base: String?
  private var converted = ConvertedFeed.Article()
  /// False if a value is too long, or damaged.
  private var isReadable = true

  /// A row's columns. Databases from earlier versions lack some.
  private enum Column: Int, CaseIterable {
    case rowid, guid, url, title, pubDate, author, content, contentType, enclosure, enclosureType, description
    case descriptionType, unread, flags, base

    var name: String {
      switch self {
      case .rowid, .guid, .url, .title, .pubDate, .author, .content, .unread, .flags, .base: "\(self)"
      case .contentType: "content_mime_type"
      case .enclosure: "enclosure_url"
      case .enclosureType: "enclosure_type"
      case .description: "enclosure_description"
      case .descriptionType: "enclosure_description_mime_type"
      }
    }
  }

  /// The largest number of characters in a short text.
  private static let mostCharacters = 1 << 20

  /// Returns a query's columns, as SQL.
  ///
  /// - Parameter existing: The table's column names.
  static func columns(in existing: Set<String>) -> [String] {
    Column.allCases.map { column in
      switch column {
      case .rowid, .pubDate, .unread: column.name
      // The text is read separately, because the sorted query would hold a long one completely in memory.
      case .content: "typeof(content)"
      default:
        existing.contains(column.name) ? "substr(\(column.name), 1, \(mostCharacters + 1))" : "NULL"
      }
    }
  }

  /// - Parameters:
  ///   - row: The values for ``columns(in:)``.
  ///   - texts: The rows' long texts.
  ///   - page: The feed's page; nil if it is unknown.
  init(_ row: [AttributeValue], _ texts: ForeignDatabase.LongTexts, page: String?) {
    func text(_ column: Column) -> String? { NewsboatCache.text(row[column.rawValue]) }
    func number(_ column: Column) -> Int64? {
      if case .integer(let number) = row[column.rawValue] { number } else { nil }
    }
    guid = Self.trimmed(text(.guid) ?? "")
    url = text(.url).map(Self.trimmed).flatMap { $0.isEmpty ? nil : $0 }
    title = text(.title).map(ConvertedText.title).flatMap { $0.isEmpty ? nil : $0 }
    date = number(.pubDate) ?? 0
    base = text(.base) ?? url ?? page
    isReadable = guid.utf8.count <= Self.mostCharacters
    // Zero means that the date is unknown.
    converted.published = date == 0 ? nil : date
    (converted.url, converted.title, converted.author) = (url, title, text(.author))
    (converted.attachment, converted.attachmentType) = (text(.enclosure), text(.enclosureType))
    if number(.unread) == 0 { converted.marks.insert(.read) }
    if text(.flags) != nil { converted.marks.insert(.starred) }
    var type = text(.contentType)
    var content: String?
    if text(.content) == "text" || text(.content) == "blob" {
      let bytes = texts.beginning(
        of: "content", in: "rss_item", row: number(.rowid) ?? 0, upTo: ConvertedFeed.mostBytesOfText)
      if let bytes { content = String(decoding: bytes, as: UTF8.self) } else { isReadable = false }
    }
    let (description, descriptionType) = (text(.description), text(.descriptionType) ?? "text/plain")
    if content?.isEmpty ?? true {
      // newsboat shows the description if the publisher gives no other text, as YouTube does.
      (content, type) = (description, descriptionType)
    } else if description != content {
      converted.summary = description.map { descriptionType == "text/plain" ? $0 : ConvertedText.title($0) }
    }
    converted.isPlainText = type == "text/plain" || type == "text"
    if let base, let html = content, !converted.isPlainText {
      content = ConvertedText.html(html, resolvedAgainst: base)
    }
    converted.content = content
  }

  /// Returns the article with the identity that its feed gives it; nil if it cannot be read.
  ///
  /// - Parameter shared: The addresses that several articles in the feed share.
  func article(shared: Set<String>) -> ConvertedFeed.Article? {
    guard isReadable else { return nil }
    var article = converted
    if let url, isMade(of: url) {
      article.sharesURL = shared.contains(url)
    } else if url == nil, let title, ConvertedText.title(guid) == title {
      article.isKnownByTitle = true
    } else {
      article.id = guid.isEmpty ? nil : guid
    }
    return article
  }

  /// Returns whether newsboat made the guid, because the feed gives no guid. Such a guid is the article's
  /// address as the feed states it, alone or before its date as the feed or newsboat writes it.
  private func isMade(of url: String) -> Bool {
    if guid.utf8.elementsEqual(url.utf8) { return true }
    if guid.utf8.starts(with: url.utf8) {
      return isDate(String(decoding: guid.utf8.dropFirst(url.utf8.count), as: UTF8.self))
    }
    // The feed states a relative address. The date's first word follows it without a blank.
    let bytes = Array(guid.utf8)
    guard let blank = bytes.firstIndex(of: UInt8(ascii: " ")) else { return false }
    return (max(0, blank - Self.longestWord)..<blank).contains { place in
      let end = bytes[..<place].drop { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "/") }
      return !end.isEmpty && url.utf8.reversed().starts(with: end.reversed())
        && hasDate(String(decoding: bytes[place...], as: UTF8.self))
    }
  }

  /// The longest first word of a date, in bytes: a weekday in some language.
  private static let longestWord = 40

  /// Returns whether a text after an address is a date, even one that newsboat could not read. An address
  /// itself has no blanks.
  private func isDate(_ text: String) -> Bool {
    let text = Self.trimmed(text)
    if text.utf8.contains(UInt8(ascii: " ")) { return text.contains(where: \.isNumber) }
    return text.utf8.count >= 8 && hasDate(text)
  }

  /// Returns whether a text is the article's date. newsboat may take another zone for a date that names none.
  private func hasDate(_ text: String) -> Bool {
    DateParser.seconds(text).map { abs($0 - date) <= 86_400 } ?? false
  }

  private static func trimmed(_ text: String) -> String {
    let start = text.drop(while: \.isWhitespace)
    return start.lastIndex { !$0.isWhitespace }.map { String(start[...$0]) } ?? ""
  }
}
