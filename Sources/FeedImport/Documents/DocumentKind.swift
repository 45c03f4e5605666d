import DocumentReading
import TextOutput

/// The document kinds, recognized by their first bytes.
enum DocumentKind: Equatable {
  /// A SQLite database, which cannot be imported.
  case database
  /// The lines that `list --json` and other commands write for articles.
  case list
  /// Articles for ``ReaderItems``.
  case reader
  /// A feed, or an unknown document: only a parser can decide.
  case feed

  init(of document: InputDocument) {
    let start = document.beginning(Self.examinedBytes)
    self =
      if start.starts(with: "SQLite format 3\0".utf8) {
        .database
      } else if Self.isList(start) {
        .list
      } else if ReaderItems.isBeginning(start) {
        .reader
      } else {
        .feed
      }
  }

  private static let examinedBytes = 64 << 10

  private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

  /// The meaning of one line for its document's kind.
  private enum LineKind {
    case article
    /// A JSON value on one line, an empty line, or a text that is neither JSON nor XML.
    case other
    /// A document of another kind, or its first line.
    case document
  }

  /// Returns whether an article line comes before any line from another document kind. Lines that are neither
  /// are mistakes, which the import names.
  private static func isList(_ start: [UInt8]) -> Bool {
    var rest = start[...]
    if rest.starts(with: LineReader.byteOrderMark) { rest = rest.dropFirst(LineReader.byteOrderMark.count) }
    while !rest.isEmpty {
      let line = rest.prefix { $0 != 0x0A }
      // A line that continues after the examined bytes is judged by its beginning.
      switch kind(of: Array(line), isWhole: line.endIndex < rest.endIndex || start.count < examinedBytes) {
      case .article: return true
      case .document: return false
      case .other: rest = rest[line.endIndex...].dropFirst()
      }
    }
    return false
  }

  private static func kind(of line: [UInt8], isWhole: Bool) -> LineKind {
    guard let first = line.first(where: { !isSpace($0) }) else { return .other }
    if first == UInt8(ascii: "<") || line.contains(0) { return .document }
    let (names, end) = members(of: line)
    // A line with only one of `guid` and `feed` is reported later. A JSON Feed has neither.
    if !names.isDisjoint(with: ["version", "items"]) { return .document }
    if !names.isDisjoint(with: ["guid", "feed"]) { return .article }
    if first == UInt8(ascii: "{") { return !isWhole || end == line.count ? .document : .other }
    guard first == UInt8(ascii: "[") else { return .other }
    let text = line.filter { !isSpace($0) }
    return JSONShape.array.matches(text.span) ? .other : .document
  }

  /// Returns the names of an object's members before the first mistake, and its position; nil without one.
  private static func members(of line: [UInt8]) -> (names: Set<String>, mistake: Int?) {
    var names: Set<String> = []
    let text = line.span
    // The line may continue after the examined bytes.
    let mistake = JSONMembers.read(text) { key, _ in names.insert(JSONMembers.text(text, key)) }
    return (names, mistake)
  }
}
