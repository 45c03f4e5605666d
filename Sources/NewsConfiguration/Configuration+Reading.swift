import FeedImport
import Foundation
import TOMLKit
import TextOutput
import WebAddress

extension Configuration {
  /// Reads a configuration file's text.
  ///
  /// - Throws: An error for text that is not TOML, for unknown keys, and for invalid values.
  package init(toml text: String) throws(ConfigurationError) {
    // The parser takes a C string, and would stop at a NUL.
    guard !text.utf8.contains(0) else {
      throw ConfigurationError(nil, "it contains a NUL byte, so it is not text")
    }
    try Self.checkLines(text)
    let table: TOMLTable
    do {
      table = try TOMLTable(string: text)
    } catch let error as TOMLParseError {
      let place = error.source.begin
      throw ConfigurationError(
        "line \(place.line), column \(place.column)",
        "this is not valid TOML; correct it, as in the examples of newsimport.toml(5)")
    } catch {
      throw ConfigurationError(nil, "it cannot be read as TOML")
    }
    try read(try ConfigurationSection(table, path: "", known: .document))
  }

  /// Rejects control characters that TOML forbids, and lines on which the parser fails. The parser ends the
  /// process at a table without a name, overflows the stack for keys with many parts, and loses text after an
  /// escaped NUL.
  private static func checkLines(_ text: String) throws(ConfigurationError) {
    let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      if let control = line.first(where: isForbiddenControl) {
        let number = String(control, radix: 16, uppercase: true)
        let name = "U+" + String(repeating: "0", count: 4 - number.count) + number
        throw ConfigurationError("line \(index + 1)", "it contains the control character \(name); remove it")
      }
      if isTableWithoutName(line) {
        throw ConfigurationError(
          "line \(index + 1)", "the name of a table is missing; write it like [fetch] or [region.world]")
      }
      if let escape = ["\\u0000", "\\U00000000", "\\x00"].first(where: { line.contains($0.utf8) }) {
        throw ConfigurationError(
          "line \(index + 1)", "\(escape) is a NUL, which no value can have; remove it")
      }
      guard line.count(where: { $0 == UInt8(ascii: ".") }) <= 200 else {
        throw ConfigurationError("line \(index + 1)", "more than 200 dots; no key has so many parts")
      }
    }
  }

  /// Returns true if one or two brackets begin a line, but no key follows. TOML allows this only inside
  /// nested arrays, which no key has, and inside multiline texts, which must then be written on one line.
  private static func isTableWithoutName(_ line: Substring.UTF8View) -> Bool {
    func isBlank(_ scalar: Unicode.Scalar) -> Bool {
      // The parser skips these at the beginning, and a byte order mark.
      scalar.properties.isWhitespace || ["\u{180E}", "\u{FEFF}"].contains(scalar)
    }
    var rest = Substring(line).unicodeScalars.drop(while: isBlank)
    guard rest.popFirst() == "[" else { return false }
    rest = rest.drop(while: isBlank)
    if rest.first == "[" { rest = rest.dropFirst().drop(while: isBlank) }
    guard let first = rest.first else { return true }
    let isOfKey =
      first.isASCII
      && (first.properties.isAlphabetic || "0"..."9" ~= first || "-_\"'".unicodeScalars.contains(first))
    return !isOfKey && first != "]"
  }

  /// Returns whether TOML forbids a byte everywhere (TOML 1.0, "Comment" and "String").
  private static func isForbiddenControl(_ byte: UInt8) -> Bool {
    (byte < 0x20 && ![0x09, 0x0A, 0x0D].contains(byte)) || byte == 0x7F
  }

  private mutating func read(_ document: ConfigurationSection) throws(ConfigurationError) {
    contact = try Self.contact(document)
    userAgent = try document.userAgent()
    pager = try document.text("pager")
    fetch = try Self.fetch(document) ?? fetch
    schedule = try Self.schedule(document) ?? schedule
    if let section = try document.section("retention") {
      retention = try section.retention()
      appliesRetention = try section.flag("auto") ?? false
    }
    if let tables = try document.section("region") {
      for name in tables.keys {
        guard let section = try tables.section(name) else { continue }
        regions[name] = try FeedSettings(section)
      }
    }
    if let tables = try document.section("query") {
      for name in tables.keys {
        guard let section = try tables.section(name) else { continue }
        queries[name] = try QuerySettings(section)
      }
    }
    for numbered in try document.sections("feed") {
      let url = try Self.url(numbered)
      if let known = table(ofFeed: url)?.url {
        let name = known == url.text ? known : "\(url.text), the same as \(known),"
        throw numbered.error("url", "\(name) has a table already; put both into one")
      }
      setTable(ofFeed: url, to: try FeedSettings(numbered.renamed("feed \(url.text)")))
    }
  }

  private static func contact(_ section: ConfigurationSection) throws(ConfigurationError) -> String? {
    guard let text = try section.text("contact") else { return nil }
    // Parentheses would end the comment in the User-Agent that contains the contact.
    let isPlain = text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"()\\".utf8.contains($0) }
    let mail = text.hasPrefix("mailto:") ? String(text.dropFirst("mailto:".count)) : text
    if isPlain, !text.contains("://"), mail.wholeMatch(of: #/[^@]+@[^@]+/#) != nil { return mail }
    guard isPlain, WebAddress(text).problem == nil, WebAddress.withoutPassword(text) == text else {
      throw section.error(
        "contact",
        "not a way to reach you; write a mail address, or the address of a page (http:// or https://)")
    }
    return text
  }

  private static func fetch(_ document: ConfigurationSection) throws(ConfigurationError) -> FetchSettings? {
    guard let section = try document.section("fetch") else { return nil }
    var fetch = FetchSettings()
    fetch.jobs = try section.whole("jobs")
    fetch.perHost = try section.whole("per_host")
    fetch.timeout = try section.seconds("timeout")
    fetch.connectTimeout = try section.seconds("connect_timeout")
    fetch.maxBody = try section.bytes("max_body")
    fetch.publicOnly = try section.flag("public_only")
    return fetch
  }

  private static func schedule(
    _ document: ConfigurationSection
  ) throws(ConfigurationError) -> ScheduleSettings? {
    guard let section = try document.section("schedule") else { return nil }
    let settings = ScheduleSettings(
      floor: try section.duration("floor"), ceiling: try section.duration("ceiling"))
    let schedule = Schedule(settings)
    guard schedule.floor <= schedule.ceiling else {
      throw section.error(
        settings.floor == nil ? "ceiling" : "floor",
        "the \(settings.floor == nil ? "default " : "")floor (\(durationText(schedule.floor))) is above the "
          + "\(settings.ceiling == nil ? "default " : "")ceiling (\(durationText(schedule.ceiling))); set "
          + (settings.ceiling == nil
            ? "a ceiling, too" : settings.floor == nil ? "a floor, too" : "one of them again"))
    }
    return settings
  }

  private static func url(_ section: ConfigurationSection) throws(ConfigurationError) -> WebAddress {
    guard let text = try section.text("url") else {
      throw section.error("url", "missing; it names the feed of the table")
    }
    guard WebAddress.withoutPassword(text) == text else {
      throw section.error(
        "url",
        "a password does not belong in this file; write the address without it, and "
          + "auth = { basic = { user = \"…\", password_file = \"…\" } }")
    }
    do throws(WebAddress.Problem) {
      return try WebAddress(checking: text)
    } catch {
      throw section.error(
        "url", "\(error); write the feed's address as newsimport region list --json has it")
    }
  }
}

extension Schedule {
  /// Creates the recommended schedule with the user's changes.
  init(_ settings: ScheduleSettings) {
    self.init()
    floor = settings.floor ?? floor
    ceiling = settings.ceiling ?? ceiling
  }
}

extension ConfigurationSection {
  /// Reads `keep` and `keep_last`.
  func retention() throws(ConfigurationError) -> Retention {
    Retention(age: try keeping("keep"), count: try whole("keep_last"))
  }

  /// Reads `user_agent`, and checks that it can be sent.
  func userAgent() throws(ConfigurationError) -> String? {
    guard let text = try text("user_agent") else { return nil }
    guard !text.isEmpty, RequestAdditions.isSendable(name: "User-Agent", value: text) else {
      throw error("user_agent", "it cannot be sent; write one line of text")
    }
    return text
  }
}
