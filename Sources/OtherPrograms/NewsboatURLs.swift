import NewsModel

/// The feeds in newsboat's file `urls`, with the user's tags and titles.
package struct NewsboatURLs: Sendable {
  /// The tags, by address.
  private(set) var tags: [String: [String]] = [:]
  /// The user's titles, by address.
  private(set) var titles: [String: String] = [:]
  /// The addresses that newsboat hides in its list.
  private(set) var hidden: Set<String> = []

  /// Reads the file: an address and its tags on each line. A tag that begins with a tilde is a title. A tag
  /// that begins with an exclamation mark hides the feed; in some versions it was also the title.
  init(_ text: String) {
    for line in text.split(whereSeparator: \.isNewline) {
      let words = Self.words(of: line)
      guard let address = words.first, !address.hasPrefix("query:") else { continue }
      let special = words.dropFirst().filter { $0.hasPrefix("~") || $0.hasPrefix("!") }
      tags[address, default: []] += words.dropFirst().filter { !special.contains($0) }
      let title = special.first { $0.hasPrefix("~") } ?? special.first { $0.count > 1 }
      if let title = title?.dropFirst(), !title.isEmpty { titles[address] = titles[address] ?? String(title) }
      if special.contains(where: { $0.hasPrefix("!") }) { hidden.insert(address) }
    }
  }

  /// Returns whether a tag becomes a region. Others cannot be typed as a region's name, or are addresses.
  static func isRegion(_ tag: String) -> Bool { !tag.contains("://") && Region.canBeTyped(tag) }

  /// The tags that cannot be typed as the names of regions, each once.
  var untypable: [String] {
    Set(tags.values.joined()).filter { !$0.contains("://") && !Region.canBeTyped($0) }.sorted()
  }

  /// Returns the reason why a text is not the file `urls`; nil if it may be.
  package static func mistake(inURLs text: String) -> String? {
    if text.utf8.contains(0) { return "binary data" }
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (index, line) in lines.enumerated() {
      // Every source has a scheme: http:, file:, exec:, filter: or query:.
      guard let source = words(of: line).first, !source.contains(":") else {
        continue
      }
      return "line \(index + 1): \(source) is not an address"
    }
    return nil
  }

  /// Counts the queries in the file `urls`.
  static func queries(in text: String) -> Int {
    text.split(whereSeparator: \.isNewline).count { words(of: $0).first?.hasPrefix("query:") == true }
  }

  /// Returns a line's words. A word in quotation marks may contain blanks, and quotation marks after a
  /// backslash. A `#` that begins a word begins a comment.
  private static func words(of line: Substring) -> [String] {
    var words: [String] = []
    var word: String?
    var isQuoted = false
    var isEscaped = false
    for scalar in line.unicodeScalars {
      if isEscaped {
        word = (word ?? "") + String(scalar)
        isEscaped = false
      } else if isQuoted, scalar == "\\" {
        isEscaped = true
      } else if scalar == "\"" {
        isQuoted.toggle()
        word = word ?? ""
      } else if !isQuoted, scalar.properties.isWhitespace {
        if let whole = word { words.append(whole) }
        word = nil
      } else if word == nil, scalar == "#" {
        return words
      } else {
        word = (word ?? "") + String(scalar)
      }
    }
    return words + (word.map { [$0] } ?? [])
  }
}
