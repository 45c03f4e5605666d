import HTTPDownload
import SQLiteStore
import Markup

/// What the program calls itself.
enum Version {
  static let number = "0.1.0"
  /// The day of this version, for its manual.
  static let date = "2026-11-22"
  /// The version of what `--json` prints: a higher one may lack fields, or call them otherwise.
  static let output = 1
  /// The program, the libraries that it found when it started, and what programs may expect of its output.
  static var text: String {
    """
    newsimport \(number)
    libcurl \(CurlLibrary.version), libxml2 \(XMLLibrary.version), SQLite \(SQLiteStore.libraryVersion)
    JSON lines, version \(output)
    """
  }
  /// Names the program; where its user can be reached, only that user can say.
  static let userAgent = "newsimport/\(number)"

  /// Names the program and where its user can be reached: at a page, or by mail.
  static func userAgent(contact: String) -> String {
    let link = contact.contains("://") ? "+\(contact)" : "mailto:\(contact)"
    return "newsimport/\(number) (\(link))"
  }
}
