import HTTPDownload
import Markup
import NewsConfiguration
import SQLiteStore

extension Version {
  /// This version's date, for the manual.
  static let date = "2026-11-30"
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
}
