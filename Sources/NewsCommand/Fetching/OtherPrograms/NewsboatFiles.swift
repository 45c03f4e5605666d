import Foundation
import TextOutput

/// The newsboat files that an import reads.
struct NewsboatFiles {
  /// The path to `cache.db`.
  let cache: String
  /// The file `urls`; nil without that file.
  private(set) var urls: NewsboatURLs?
  /// Messages about parts of `urls` that are not imported, or imported differently.
  private(set) var warnings: [String] = []

  private static let largestList = 16 << 20

  /// Finds the files, and reads `urls`.
  ///
  /// - Parameters:
  ///   - path: The path to `cache.db` or its folder.
  ///   - named: The path to `urls`; nil for the file beside `cache.db`.
  /// - Throws: ``CommandFailure`` if a file is missing or is not newsboat's.
  init(_ path: String, urls named: String?) throws {
    var isFolder: ObjCBool = false
    _ = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
    cache = isFolder.boolValue ? (path as NSString).appendingPathComponent("cache.db") : path
    if isFolder.boolValue, !FileManager.default.fileExists(atPath: cache) {
      throw CommandFailure(.noInput, "\(path): the folder has no cache.db")
    }
    if let cause = InputFile.refusal(of: cache) { throw CommandFailure(.badInput, "\(cache): \(cause)") }
    if let named {
      let text = String(decoding: try InputFile.read(named, limit: Self.largestList), as: UTF8.self)
      if let cause = NewsboatURLs.mistake(inURLs: text) {
        throw CommandFailure(.badInput, "\(printable(named)): not newsboat's file urls: \(printable(cause))")
      }
      read(text, of: named)
    } else {
      for path in Self.usualPaths(besideCache: cache) {
        guard let bytes = try? InputFile.read(path, limit: Self.largestList) else { continue }
        let text = String(decoding: bytes, as: UTF8.self)
        // Another file may have this name.
        guard NewsboatURLs.mistake(inURLs: text) == nil else { continue }
        read(text, of: path)
        break
      }
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

  private mutating func read(_ text: String, of path: String) {
    let urls = NewsboatURLs(text)
    self.urls = urls
    let queries = NewsboatURLs.queries(in: text)
    if queries > 0 {
      warnings.append(
        "\(path): \(counted(queries, "query", "queries")) not imported; write each as a table [query.NAME] in the configuration"
      )
    }
    if !urls.hidden.isEmpty {
      let (number, verb) = (urls.hidden.count, urls.hidden.count == 1 ? "is" : "are")
      warnings.append(
        "\(path): \(counted(number, "feed")) that newsboat hides (!) \(verb) imported as others")
    }
  }
}
