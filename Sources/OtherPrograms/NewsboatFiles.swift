import DocumentReading
import Foundation
import TextOutput

/// The newsboat files that an import reads.
package struct NewsboatFiles {
  /// The path to `cache.db`.
  package let cache: String
  /// The file `urls`; nil without that file.
  package private(set) var urls: NewsboatURLs?
  /// Messages about parts of `urls` that are not imported, or imported differently.
  package private(set) var warnings: [String] = []

  /// The largest number of tags that a message names.
  private static let mostTags = 10
  /// The largest file `urls`, in bytes.
  package static let largestList = 16 << 20

  /// - Parameter path: The path to `cache.db` or its folder.
  package init(_ path: String) {
    var isFolder: ObjCBool = false
    _ = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
    cache = isFolder.boolValue ? (path as NSString).appendingPathComponent("cache.db") : path
  }

  /// Reads the file `urls` at its usual place, if it is there.
  package mutating func findURLs() {
    for path in Self.usualPaths(besideCache: cache) {
      guard let text = FilePathBytes(path).text(upTo: Self.largestList) else { continue }
      // Another file may have this name.
      guard NewsboatURLs.mistake(inURLs: text) == nil else { continue }
      return read(text, of: path)
    }
  }

  /// Returns possible paths for `urls`: beside `cache.db`, or in the configuration folder (XDG Base Directory
  /// Specification).
  private static func usualPaths(besideCache cache: String) -> [String] {
    let folder =
      ((cache as NSString).resolvingSymlinksInPath as NSString).deletingLastPathComponent as NSString
    var paths = [folder.appendingPathComponent("urls")]
    let parts = folder.pathComponents
    if parts.suffix(3) == [".local", "share", "newsboat"] {
      let home = NSString.path(withComponents: Array(parts.dropLast(3))) as NSString
      paths.append(home.appendingPathComponent(".config/newsboat/urls"))
    }
    return paths
  }

  /// Reads the text of the file `urls`.
  package mutating func read(_ text: String, of path: String) {
    let urls = NewsboatURLs(text)
    self.urls = urls
    let queries = NewsboatURLs.queries(in: text)
    if queries > 0 {
      warnings.append(
        "\(path): \(counted(queries, "query", "queries")) not imported; write each as a table [query.NAME] in the configuration"
      )
    }
    let tags = urls.untypable
    if !tags.isEmpty {
      let named = tags.prefix(Self.mostTags).map { "\"\(withEscapes($0))\"" }.joined(separator: ", ")
      let rest = tags.count > Self.mostTags ? " and \(tags.count - Self.mostTags) more" : ""
      warnings.append(
        "\(path): \(counted(tags.count, "tag")) not imported, because no region can have such a name: \(named)\(rest)"
      )
    }
    if !urls.hidden.isEmpty {
      let (number, verb) = (urls.hidden.count, urls.hidden.count == 1 ? "is" : "are")
      warnings.append(
        "\(path): \(counted(number, "feed")) that newsboat hides (!) \(verb) imported as others")
    }
  }
}
