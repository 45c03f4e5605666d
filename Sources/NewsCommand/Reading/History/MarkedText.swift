import ArticleDocuments
import HTMLText
import TextOutput

/// A changed passage as one text, with removed and added words marked.
@MainActor
struct MarkedText {
  private struct Word {
    var text: String
    let isApart: Bool
    let change: Style.Change?
  }

  private var words: [Word] = []
  private let isPlain: Bool

  /// - Parameter isPlain: True to mark words with brackets instead of colours.
  init(_ difference: WordDifference, _ passage: WordDifference.Passage, isPlain: Bool) {
    self.isPlain = isPlain
    let omission = Word(text: "…", isApart: true, change: nil)
    if passage.new.lowerBound > 0 { words.append(omission) }
    var place = passage.new.lowerBound
    for change in passage.changes {
      append(place..<change.new.lowerBound, of: difference.new)
      append(change.old, of: difference.old, .removed)
      append(change.new, of: difference.new, .added)
      place = change.new.upperBound
    }
    append(place..<passage.new.upperBound, of: difference.new)
    if passage.new.upperBound < difference.new.numbers.count { words.append(omission) }
  }

  private mutating func append(_ range: Range<Int>, of text: WordText, _ change: Style.Change? = nil) {
    for word in range {
      // White space in a source is visible only if it was changed.
      let isSpace = change == nil && text[word].utf8.allSatisfy { $0 <= 0x20 }
      words.append(
        Word(
          text: isSpace ? " " : printable(text[word]),
          isApart: text.isApart(word) || word == 0 && !words.isEmpty, change: change))
    }
    guard isPlain, let change, !range.isEmpty else { return }
    let marks = change == .removed ? ("[-", "-]") : ("{+", "+}")
    let first = words.count - range.count
    words[first].text = marks.0 + words[first].text
    words[words.count - 1].text += marks.1
  }

  private static let indent = "  "

  /// Returns the passage in lines up to `columns` wide, as far as words allow, each with its line feed.
  func text(columns: Int) -> String {
    var lines = ""
    var width = 0
    /// The current line's words that have the same mark.
    var run = ""
    var change: Style.Change?
    func finishRun() {
      lines += isPlain ? run : Style.marked(run, change)
      run = ""
    }
    for word in words {
      let size = DisplayWidth.columns(of: word.text)
      let isApart = word.isApart && width > Self.indent.count
      if width > Self.indent.count, width + size + (isApart ? 1 : 0) > columns {
        finishRun()
        lines += "\n"
        width = 0
      } else if word.change != change {
        finishRun()
      }
      if width == 0 {
        lines += Self.indent
        width = Self.indent.count
      } else if isApart {
        // A space before a mark is not marked.
        if run.isEmpty { lines += " " } else { run += " " }
        width += 1
      }
      change = word.change
      run += word.text
      width += size
    }
    finishRun()
    return lines + "\n"
  }
}
