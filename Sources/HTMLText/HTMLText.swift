/// HTML as a person reads it: paragraphs of plain text, and the addresses that its links and pictures lead to.
///
/// Scripts, styles and what cannot be seen are left out; nothing is fetched.
public struct HTMLText: Sendable, Equatable {
  /// A piece of text that begins on a line of its own.
  public struct Block: Sendable, Equatable {
    /// What stands before its first line: a bullet, a number.
    public var marker = ""
    /// What stands before each of its lines: signs of quotations.
    public var indent = ""
    /// The text: one line that may be wrapped, or, where ``isPreformatted``, lines that are kept.
    public var text = ""
    /// Whether spaces and line ends mean something.
    public var isPreformatted = false
    /// Whether an empty line stands between it and the block before.
    public var isApart = false
  }

  /// The blocks, from top to bottom.
  public let blocks: [Block]
  /// The address of each number in brackets, from 1, each once; as the document has them.
  public let links: [String]

  /// Reads a piece of HTML, however broken it is.
  ///
  /// - Parameter html: UTF-8, with or without `html` and `body` around it.
  public init(_ html: String) {
    var builder = TextBuilder()
    HTMLTree.visit(html) { builder.take($0) }
    (blocks, links) = builder.finish()
  }

  /// The text in lines of at most so many columns, as far as words allow.
  public func lines(columns: Int) -> [String] {
    var lines: [String] = []
    var before = ""
    for block in blocks {
      if block.isApart, !lines.isEmpty {
        lines.append(Self.trimmed(before.count < block.indent.count ? before : block.indent))
      }
      before = block.indent
      let hanging = String(repeating: " ", count: DisplayWidth.columns(of: block.marker))
      let room = max(10, columns - DisplayWidth.columns(of: block.indent) - hanging.count)
      let wrapped =
        block.isPreformatted
        ? block.text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        : LineWrapping.lines(of: block.text, columns: room)
      for (place, line) in wrapped.enumerated() {
        lines.append(Self.trimmed(block.indent + (place == 0 ? block.marker : hanging) + line))
      }
    }
    return lines
  }

  /// One paragraph of plain text in lines of at most so many columns; at least one line.
  public static func wrapped(_ text: String, columns: Int) -> [String] {
    LineWrapping.lines(of: text, columns: max(10, columns))
  }

  /// One line of a program's own words in lines of at most so many columns, as far as words allow: addresses, paths
  /// and other long words stay whole, so that they can be copied.
  ///
  /// - Parameter indent: By how many columns the lines after the first are narrower, for who indents them.
  public static func wrappedKeepingWords(_ text: String, columns: Int, indent: Int) -> [String] {
    LineWrapping.lines(of: text, columns: columns, indent: indent, keepsWords: true).map(trimmed)
  }

  private static func trimmed(_ line: String) -> String {
    var line = line
    while line.last == " " { line.removeLast() }
    return line
  }
}
