import HTTPDownload
import SQLiteStore
import Markup

enum Version {
  static let number = "0.1.0"
  /// This version's date, for the manual.
  static let date = "2026-11-22"
  /// The version of the `--json` output; a higher one may omit or rename fields.
  static let output = 3
  /// The versions of the program, the loaded libraries, and the output.
  static var text: String {
    """
    newsimport \(number)
    libcurl \(CurlLibrary.version), libxml2 \(XMLLibrary.version), SQLite \(SQLiteLibrary.version)
    JSON lines, version \(output)
    """
  }
  /// The user agent without a contact, which only the user can provide.
  static let userAgent = "newsimport/\(number)"

  /// Returns the user agent with the user's contact: a page, or a mail address.
  static func userAgent(contact: String) -> String {
    let link = contact.contains("://") ? "+\(contact)" : "mailto:\(contact)"
    return "newsimport/\(number) (\(link))"
  }
}
