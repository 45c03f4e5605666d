package import Foundation
import HTMLText
import ManagedContext
import NewsModel
import TextOutput
import WebAddress

/// An article as a message (RFC 5322) with its text as plain text and as HTML (RFC 2046, 5.1.4).
///
/// A message can be sent: its `From` has a single address, which belongs to nobody. Receivers refuse messages
/// in the name of an author whose domain did not send them (DMARC), and some refuse several authors.
package struct MailMessage {
  /// An edit that a message is about, instead of the article's import.
  package struct Edit {
    let token: String
    let date: Date

    /// - Parameter token: The edit's token in `changes`.
    package init(token: String, date: Date) { (self.token, self.date) = (token, date) }
  }

  /// The message, in ASCII.
  package let text: String
  /// The line before the message in a mailbox (RFC 4155).
  private let start: String

  /// The message with its line `From ` before and an empty line after it.
  package var inMailbox: String { start + text + "\n" }

  package init(_ listed: ListedArticle, edit: Edit? = nil) {
    let entry = FeedEntry(listed)
    let sender = MailAddress.substitute(host: listed.feed?.url.host)
    let imported = listed[Article.schema.imported]
    start = "From \(sender) \(MailDate.delivery(edit?.date ?? imported))\n"
    let page = entry.url.map(WebAddress.withoutPassword)
    var text = Self.people(entry, sender)
    let subject = MailHeader.words(ofText: listed.listTitle)
    text += MailHeader("Subject", subject.isEmpty ? ["(no", "title)"] : subject).text
    let date =
      [edit?.date, entry.published, entry.modified].compactMap(\.self).first(where: MailDate.isValid)
      ?? imported
    text += MailHeader("Date", [MailDate.text(date)]).text
    text += Self.identifiers(Self.messageID(guid: listed[Article.schema.guid], feedURL: entry.feedURL), edit)
    let others: [(name: StaticString, words: [String])] = [
      ("Keywords", Self.list(entry.tags.map(MailHeader.phrase))),
      // RFC 5064.
      ("Archived-At", page.flatMap(MailHeader.address).map { ["<\($0)>"] } ?? []),
      ("X-Newsimport-Feed", entry.feedURL.flatMap(MailHeader.address).map { [$0] } ?? []),
      ("Content-Language", entry.languageTag.map { [$0] } ?? []),
    ]
    for field in others where !field.words.isEmpty { text += MailHeader(field.name, field.words).text }
    text += """
      MIME-Version: 1.0
      Content-Type: multipart/alternative; boundary="\(Self.boundary)"


      """
    text += Self.part("plain", MailBody.plain(entry, page))
    text += Self.part("html", MailBody.html(entry, page))
    self.text = text + "--\(Self.boundary)--\n"
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

  /// Returns the fields with the authors, or with the feed if the article has none. Answers go to the authors.
  private static func people(_ entry: FeedEntry, _ sender: String) -> String {
    let names = entry.authors.map { MailHeader.oneLine($0.name ?? $0.email ?? "") }.filter { !$0.isEmpty }
    let name = names.isEmpty ? entry.feedTitle ?? entry.feedURL : names.joined(separator: ", ")
    let addresses = entry.authors.compactMap { author in
      MailAddress.valid(author.email).map { MailHeader.mailbox(name: author.name, address: $0) }
    }
    let text = MailHeader("From", MailHeader.mailbox(name: name, address: sender)).text
    return addresses.isEmpty ? text : text + MailHeader("Reply-To", list(addresses)).text
  }

  /// Returns the fields that identify a message. An edit's message has an identifier of its own, because
  /// receivers drop messages that they have, and refers to the article's first message.
  private static func identifiers(_ id: String, _ edit: Edit?) -> String {
    let first = "<\(id)@\(MailAddress.domain)>"
    guard let edit else { return MailHeader("Message-ID", [first]).text }
    return MailHeader("Message-ID", ["<\(id).\(edit.token)@\(MailAddress.domain)>"]).text
      + MailHeader("In-Reply-To", [first]).text + MailHeader("References", [first]).text
  }

  /// Returns elements separated by commas.
  private static func list(_ elements: [[String]]) -> [String] {
    let elements = elements.filter { !$0.isEmpty }
    return elements.enumerated().flatMap { place, words in
      place == elements.count - 1 ? words : words.dropLast() + [(words.last ?? "") + ","]
    }
  }

  /// Returns the identifier of an article's message, without its domain. It is the same in every store and
  /// mailbox, and differs between the articles in a feed.
  static func messageID(guid: String, feedURL: String?) -> String {
    // A feed's address has no NUL.
    let digits = String(hash(Array((feedURL ?? "").utf8) + [0] + Array(guid.utf8)), radix: 16)
    return String(repeating: "0", count: 32 - digits.utf8.count) + digits
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
  static func text(_ date: Date) -> String { CivilDate(date).mail.dropLast(3) + "+0000" }

  /// A date such as "Sat Nov 21 09:12:00 2026" (RFC 4155).
  static func delivery(_ date: Date) -> String {
    // RSS has "Sat, 21 Nov 2026 09:12:00 GMT".
    let parts = CivilDate(isValid(date) ? date : Date(timeIntervalSince1970: 0)).mail.split(separator: " ")
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
