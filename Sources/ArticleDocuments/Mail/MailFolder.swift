import Foundation
import HTMLText
import ManagedContext
import NewsModel
import TextOutput
import WebAddress

/// A writer of articles as a mailbox in the format mbox (RFC 4155): a message for each article.
package struct MailFolder: ArticleDocument {
  package let head = ""
  package let tail = ""

  package init() {}

  package mutating func write(_ listed: ListedArticle, to bytes: inout [UInt8]) {
    let message = MailMessage(
      FeedEntry(listed), title: listed.listTitle, host: listed.feed?.url.host,
      imported: listed[Article.schema.imported],
      guid: listed[Article.schema.guid])
    bytes += message.text.utf8
  }
}

/// An article as a message (RFC 5322) with its text as plain text and as HTML (RFC 2046, 5.1.4).
struct MailMessage {
  /// The message with its line "From " before and an empty line after it, in ASCII.
  let text: String

  /// - Parameters:
  ///   - title: The title as lists have it.
  ///   - host: The feed's host; nil without one.
  ///   - imported: The import date, which is the delivery date.
  ///   - guid: The article's guid.
  init(_ entry: FeedEntry, title: String, host: String?, imported: Date, guid: String) {
    let substitute = MailAddress.substitute(host: host)
    let senders = Self.mailboxes(entry, substitute)
    let page = entry.url.map(WebAddress.withoutPassword)
    var text = "From \(substitute) \(MailDate.delivery(imported))\n"
    text += MailHeader("From", Self.list(senders)).text
    // Required if there is more than one author (RFC 5322, 3.6.2).
    if senders.count > 1 {
      text += MailHeader("Sender", MailHeader.mailbox(name: entry.feedTitle, address: substitute)).text
    }
    let subject = MailHeader.words(ofText: title)
    text += MailHeader("Subject", subject.isEmpty ? ["(no", "title)"] : subject).text
    let date =
      [entry.published, entry.modified].compactMap(\.self).first(where: MailDate.isValid) ?? imported
    text += MailHeader("Date", [MailDate.text(date)]).text
    text += MailHeader("Message-ID", ["<\(Self.messageID(guid: guid, feedURL: entry.feedURL))>"]).text
    if !entry.tags.isEmpty {
      text += MailHeader("Keywords", Self.list(entry.tags.map(MailHeader.phrase))).text
    }
    // RFC 5064.
    if let address = page.flatMap(MailHeader.address) {
      text += MailHeader("Archived-At", ["<\(address)>"]).text
    }
    if let address = entry.feedURL.flatMap(MailHeader.address) {
      text += MailHeader("X-Newsimport-Feed", [address]).text
    }
    if let language = entry.languageTag {
      text += MailHeader("Content-Language", [language]).text
    }
    text += """
      MIME-Version: 1.0
      Content-Type: multipart/alternative; boundary="\(Self.boundary)"


      """
    text += Self.part("plain", MailBody.plain(entry, page))
    text += Self.part("html", MailBody.html(entry, page))
    self.text = text + "--\(Self.boundary)--\n\n"
  }

  /// No encoded line can contain it: an equals sign is encoded, and Base64 has it only at the end.
  private static let boundary = "=_newsimport_=_"

  private static func part(_ subtype: String, _ content: String) -> String {
    let encoded = TransferEncoding(content)
    return """
      --\(boundary)
      Content-Type: text/\(subtype); charset=utf-8
      Content-Transfer-Encoding: \(encoded.name)

      \(encoded.text)
      """
  }

  /// Returns the authors' mailboxes; without authors, the feed's mailbox.
  private static func mailboxes(_ entry: FeedEntry, _ substitute: String) -> [[String]] {
    let authors = entry.authors.compactMap { author -> [String]? in
      let address = MailAddress.valid(author.email)
      let name = MailHeader.oneLine(author.name ?? (address == nil ? author.email : nil) ?? "")
      guard address != nil || !name.isEmpty else { return nil }
      return MailHeader.mailbox(name: name, address: address ?? substitute)
    }
    return authors.isEmpty
      ? [MailHeader.mailbox(name: entry.feedTitle ?? entry.feedURL, address: substitute)] : authors
  }

  /// Returns elements separated by commas.
  private static func list(_ elements: [[String]]) -> [String] {
    let elements = elements.filter { !$0.isEmpty }
    return elements.enumerated().flatMap { place, words in
      place == elements.count - 1 ? words : words.dropLast() + [(words.last ?? "") + ","]
    }
  }

  /// Returns the identifier of an article's message. It is the same in every store and mailbox, and differs
  /// between the articles in a feed.
  static func messageID(guid: String, feedURL: String?) -> String {
    // A feed's address has no NUL.
    let digits = String(hash(Array((feedURL ?? "").utf8) + [0] + Array(guid.utf8)), radix: 16)
    return String(repeating: "0", count: 32 - digits.utf8.count) + digits + "@" + MailAddress.domain
  }

  /// The hash FNV-1a with 128 bits.
  static func hash(_ bytes: [UInt8]) -> UInt128 {
    bytes.reduce(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d) { hash, byte in
      (hash ^ UInt128(byte)) &* 0x0000_0000_0100_0000_0000_0000_0000_013B
    }
  }
}

/// Message dates, in UTC.
enum MailDate {
  /// Returns whether a message can have the date (RFC 5322, 3.3).
  static func isValid(_ date: Date) -> Bool { (1900...9999).contains(CivilDate(date).year) }

  /// A date such as "Sat, 21 Nov 2026 09:12:00 +0000" (RFC 5322, 3.3).
  static func text(_ date: Date) -> String { RSSText.date(date).dropLast(3) + "+0000" }

  /// A date such as "Sat Nov 21 09:12:00 2026" (RFC 4155).
  static func delivery(_ date: Date) -> String {
    // RSS has "Sat, 21 Nov 2026 09:12:00 GMT".
    let parts = RSSText.date(isValid(date) ? date : Date(timeIntervalSince1970: 0)).split(separator: " ")
    let day = parts[1].hasPrefix("0") ? " " + parts[1].dropFirst() : String(parts[1])
    return "\(parts[0].dropLast()) \(parts[2]) \(day) \(parts[4]) \(parts[3])"
  }
}

/// An article's text in a message.
enum MailBody {
  private static let columns = 72

  /// Returns the article's text, link targets, attachments and address.
  static func plain(_ entry: FeedEntry, _ page: String?) -> String {
    let body = HTMLText(entry.contentHTML ?? entry.summary ?? "")
    let links = body.links.enumerated().map { "[\($0.offset + 1)] \(WebAddress.withoutPassword($0.element))" }
    let files = entry.attachments.map { file in
      [WebAddress.withoutPassword(file.url), file.type].compactMap(\.self).joined(separator: "  ")
    }
    let parts = [body.lines(columns: columns), links, files, page.map { [$0] } ?? []]
    return parts.filter { !$0.isEmpty }.map { lines in
      lines.map { printable($0) + "\n" }.joined()
    }.joined(separator: "\n")
  }

  /// Returns the text as HTML without anything that a reader would execute or fetch.
  static func html(_ entry: FeedEntry, _ page: String?) -> String {
    var files = entry.attachments.map { WebAddress.withoutPassword($0.url) }
    if let page { files.append(page) }
    let links = files.filter(SafeHTML.isSafe).map { address in
      "<p><a href=\"\(SafeHTML.escaped(address))\">\(SafeHTML.escaped(address))</a></p>\n"
    }
    return "<!DOCTYPE html>\n<meta charset=\"utf-8\">\n<div>\n"
      + SafeHTML.fragment(of: entry.contentHTML ?? entry.summary ?? "", anchorPrefix: "text-", page: page)
      + "\n</div>\n" + links.joined()
  }
}
