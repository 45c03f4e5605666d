import DocumentReading
import TextOutput

/// The kinds of documents, which are recognized by their first bytes.
enum DocumentKind: Equatable {
  /// A SQLite database, which is no document.
  case database
  /// The lines of an export.
  case export
  /// The lines that `list --json` and other commands write for articles.
  case list
  /// A feed, or none: only a parser knows.
  case feed

  init(of document: InputDocument) {
    let start = document.beginning(Self.examinedBytes)
    self =
      if start.starts(with: "SQLite format 3\0".utf8) {
        .database
      } else if Self.isExport(start) {
        .export
      } else if Self.isList(start) {
        .list
      } else {
        .feed
      }
  }

  private static let examinedBytes = 64 << 10

  private static func isExport(_ start: [UInt8]) -> Bool {
    start.prefix(64).filter { $0 != 0x20 }.starts(with: "{\"\(ExportFormat.formatKey)\":\"newsimport".utf8)
  }

  private static func isList(_ start: [UInt8]) -> Bool {
    guard start.first == UInt8(ascii: "{") else { return false }
    var names: Set<String> = []
    let line = Array(start.prefix { $0 != 0x0A })
    do throws(JSONMembers.Mistake) {
      try JSONMembers.read(line.span) { key, _ in names.insert(JSONMembers.text(line.span, key)) }
    } catch {
      // The line may go on after the beginning.
    }
    // A line that lacks one of them is named. Both are no members of a JSON Feed.
    return !names.isDisjoint(with: ["guid", "feed"]) && names.isDisjoint(with: ["version", "items"])
  }
}
