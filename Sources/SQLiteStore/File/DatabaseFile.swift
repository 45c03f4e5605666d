internal import Foundation

/// Files that belong to SQLite databases, from this program or others.
public enum DatabaseFile {
  /// The suffixes of files beside a database: log and index, journal, and a store's search index and locks.
  public static let endings = ["-wal", "-shm", "-journal", ".search", "-locks"]

  /// Returns whether a file is a database or belongs to one, by its contents or its name.
  public static func isPart(_ path: String) -> Bool {
    let isDatabase = begins(path, [databaseStart])
    return isDatabase || begins(path, logStarts) || isNamedAsPart(path)
  }

  /// Returns whether a path, which need not exist, names a file beside a database.
  static func isNamedAsPart(_ path: String) -> Bool {
    endings.contains { path.hasSuffix($0) && begins(String(path.dropLast($0.count)), [databaseStart]) }
  }

  /// The first bytes of a database (sqlite.org/fileformat2.html#the_database_header).
  private static let databaseStart = Array("SQLite format 3\0".utf8)
  /// The first bytes of logs and journals (sqlite.org/fileformat2.html#walformat, #the_rollback_journal).
  private static let logStarts: [[UInt8]] = [
    [0x37, 0x7F, 0x06, 0x82], [0x37, 0x7F, 0x06, 0x83], [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7],
  ]

  private static func begins(_ path: String, _ starts: [[UInt8]]) -> Bool {
    // Another kind of file, such as a pipe, could block.
    guard let status = FileStatus(path: path), (try? status.checkIsFile(path)) != nil,
      let file = FileHandle(forReadingAtPath: path), let bytes = try? file.read(upToCount: 16)
    else { return false }
    return starts.contains { bytes.starts(with: $0) }
  }
}
