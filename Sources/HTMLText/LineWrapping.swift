/// Breaks text into lines after words, and between wide characters, which are written without spaces.
enum LineWrapping {
  /// Returns the lines, at least one. No line is wider than `columns`, except for a single wide character.
  ///
  /// - Parameters:
  ///   - text: One paragraph.
  ///   - columns: The first line's width.
  ///   - indent: The difference in width between the first line and the others, in columns.
  ///   - keepsWords: True to keep a word whole if it is wider than a line.
  static func lines(
    of text: String, columns: Int, indent: Int = 0, keepsWords: Bool = false
  ) -> [String] {
    DisplayWidth.withWideCharacters {
      var filling = Filling(columns: columns, indent: indent, keepsWords: keepsWords)
      for character in text { filling.add(character) }
      return filling.finish()
    }
  }

  private struct Filling {
    private let columns: Int
    private let indent: Int
    private let keepsWords: Bool
    private var lines: [String] = []
    private var line = ""
    private var width = 0
    /// The last position at which the line may be broken: where the text before it ends and the text after it
    /// begins, and the width after it in columns.
    private var lastBreak: (end: String.Index, next: String.Index, width: Int)?
    private var followsWide = false

    init(columns: Int, indent: Int, keepsWords: Bool) {
      self.columns = columns
      self.indent = indent
      self.keepsWords = keepsWords
    }

    /// The current line's width, in columns.
    private var room: Int { max(1, lines.isEmpty ? columns : columns - indent) }

    mutating func add(_ character: Character) {
      let size = DisplayWidth.columns(character)
      if character == " " {
        if line.isEmpty { return }
        lastBreak = (line.endIndex, line.endIndex, 0)
        followsWide = false
      } else if !line.isEmpty, size == 2 || followsWide, !Self.isClosingPunctuation(character) {
        lastBreak = (line.endIndex, line.endIndex, 0)
      }
      if width + size > room, character != " " { breakLine() }
      line.append(character)
      width += size
      lastBreak?.width += size
      if character != " " { followsWide = size == 2 }
    }

    mutating func finish() -> [String] {
      if !line.isEmpty || lines.isEmpty { lines.append(line) }
      return lines
    }

    private mutating func breakLine() {
      guard !line.isEmpty else { return }
      guard let place = lastBreak else {
        // The word is longer than a line.
        if keepsWords { return }
        lines.append(line)
        (line, width) = ("", 0)
        return
      }
      lines.append(String(line[..<place.end]))
      let rest = line[place.next...].drop { $0 == " " }
      width = rest.count == line[place.next...].count ? place.width : place.width - 1
      line = String(rest)
      lastBreak = nil
    }

    /// Returns whether a character is closing punctuation, with which a line must not begin.
    private static func isClosingPunctuation(_ character: Character) -> Bool {
      "、。，．！？：；）」』】〉》”’…".contains(character)
    }
  }
}
