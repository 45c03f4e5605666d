internal import Markup
internal import TextOutput

/// HTML as plain text for reading: paragraphs, and the addresses of links and pictures.
///
/// Scripts, styles and invisible elements are left out; nothing is fetched.
public struct HTMLText: Sendable, Equatable {
  /// A piece of text that begins on a new line.
  public struct Block: Sendable, Equatable {
    /// The text before the first line: quotation marks as in mail, "> ", and an item's bullet or number.
    public var lead = ""
    /// The text before each further line, as wide as ``lead``.
    public var indent = ""
    /// The text: one line that may be wrapped, or, if ``isPreformatted``, lines that are kept.
    public var text = ""
    /// True if spaces and line ends are significant.
    public var isPreformatted = false
    /// True if an empty line separates the block from the previous one.
    public var isApart = false
    /// A table's cells, row by row, instead of a text.
    public var rows: [[String]] = []
  }

  /// The blocks, from top to bottom.
  public let blocks: [Block]
  /// The addresses for the numbers in brackets, beginning with number 1. Each address appears once, as it is
  /// written in the document.
  public let links: [String]
  /// True if ``deletion`` encloses deleted text.
  public let hasDeletions: Bool

  /// The text before and after deleted text.
  public static let deletion = "~~"

  /// Reads an HTML fragment or document, which may be malformed.
  ///
  /// - Parameter html: UTF-8, with or without the `html` and `body` elements.
  public init(_ html: String) {
    var html = html
    var builder = html.withUTF8 { bytes in
      let bytes = unsafe bytes.span
      let isPlainText = Self.isPlainText(bytes)
      var builder = TextBuilder(isPlainText: isPlainText)
      Self.tree(bytes, isPlainText: isPlainText).visit(&builder)
      return builder
    }
    (blocks, links) = builder.finish()
    hasDeletions = builder.hasDeletions
  }

  /// Returns whether HTML was made from plain text: each line ends with `<br>`, and nothing else is markup.
  ///
  /// An import stores plain text in this form. Its spaces are part of the text.
  static func isPlainText(_ html: Span<UInt8>) -> Bool {
    let mark: StaticString = "<br>\n"
    var (place, hasLines) = (0, false)
    while let found = html.firstIndex(from: place, marks: { $0.marks(of: 0x3C) | $0.marks(of: 0x0A) }) {
      guard html.hasPrefix(mark, at: found) else { return false }
      (place, hasLines) = (found + mark.utf8CodeUnitCount, true)
    }
    return hasLines
  }

  /// Returns a document's tree, keeping the space at the start of plain text: it has meaning only in the
  /// body.
  static func tree(_ html: Span<UInt8>, isPlainText: Bool) -> HTMLTree {
    guard isPlainText else { return HTMLTree(html) }
    var text = Array("<body>".utf8)
    text.append(html)
    return HTMLTree(text.span)
  }

  /// Returns the text in lines with at most `columns` columns, as far as words and preformatted lines allow.
  public func lines(columns: Int) -> [String] {
    var lines: [String] = []
    var before = ""
    for block in blocks {
      if block.isApart, !lines.isEmpty {
        let common = zip(before, block.indent).prefix { $0 == $1 }.map(\.0)
        lines.append(Self.trimmed(String(common)))
      }
      before = block.indent
      let room = max(10, columns - DisplayWidth.columns(of: block.indent))
      let wrapped =
        block.isPreformatted
        ? block.text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        : block.rows.isEmpty
          ? LineWrapping.lines(of: block.text, columns: room)
          : TableLayout.lines(of: block.rows, columns: room)
      for (place, line) in wrapped.enumerated() {
        lines.append(Self.trimmed((place == 0 ? block.lead : block.indent) + line))
      }
    }
    return lines
  }

  /// Wraps one paragraph of plain text into lines with at most `columns` columns; returns at least one line.
  public static func wrapped(_ text: String, columns: Int) -> [String] {
    LineWrapping.lines(of: text, columns: max(10, columns))
  }

  /// Wraps one line of a program's message into lines with at most `columns` columns, as far as words allow.
  /// Addresses, paths and other long words stay whole, so that they can be copied.
  ///
  /// - Parameter indent: The difference in width between the first line and the others, in columns, for a
  ///   caller that indents them.
  public static func wrappedKeepingWords(_ text: String, columns: Int, indent: Int) -> [String] {
    LineWrapping.lines(of: text, columns: columns, indent: indent, keepsWords: true).map(trimmed)
  }

  private static func trimmed(_ line: String) -> String {
    var line = line
    while line.last == " " { line.removeLast() }
    return line
  }
}
