/// Splits paths by their bytes. `NSString` crashes for a path with one character.
public enum FilePath {
  private static let slash = UInt8(ascii: "/")

  /// Returns a file's folder; "." for a name alone.
  public static func folder(of path: String) -> String {
    let end = path.utf8.endIndex(beforeTrailing: slash)
    guard let last = path.utf8[..<end].lastIndex(of: slash) else {
      return end == path.startIndex && !path.isEmpty ? "/" : "."
    }
    let folder = path.utf8[..<last]
    let folderEnd = folder.endIndex(beforeTrailing: slash)
    return folderEnd == path.startIndex ? "/" : String(path[..<folderEnd])
  }

  /// Returns a path's last part, without slashes; empty for the root folder.
  public static func name(of path: String) -> String {
    let part = path.utf8[..<path.utf8.endIndex(beforeTrailing: slash)]
    let start = part.lastIndex(of: slash).map { part.index(after: $0) } ?? part.startIndex
    return String(path[start..<part.endIndex])
  }
}

extension BidirectionalCollection<UInt8> {
  /// The end without trailing bytes of one value.
  fileprivate func endIndex(beforeTrailing byte: UInt8) -> Index {
    lastIndex { $0 != byte }.map { index(after: $0) } ?? startIndex
  }
}
