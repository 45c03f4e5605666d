import Foundation
import Glibc

/// The file that a command is to replace, after the checks that it may be replaced.
struct ReplacedFile {
  /// The path with links resolved.
  let path: String
  /// The folder.
  let folder: String
  /// The permissions of the old file; nil if none exists.
  let mode: mode_t?

  /// - Throws: ``CommandFailure`` with status 73 for anything but a usual file, for the store and other databases, and for
  ///   a link that another user put into a shared folder.
  init(_ path: String, sparing store: String) throws {
    let target = try Self.target(of: path)
    self.path = target
    folder = Self.folder(of: target)
    var status = stat()
    let isThere = stat(target, &status) == 0
    if isThere, status.st_mode & S_IFMT != S_IFREG {
      throw CommandFailure(.cannotCreate, "\(path): not a file that can be replaced; name another one")
    }
    mode = isThere ? status.st_mode & 0o777 : nil
    if Self.belongs(target, toStore: store) {
      throw CommandFailure(.cannotCreate, "\(path): it belongs to the store; name another file")
    }
    if isThere, Self.isDatabase(target) {
      throw CommandFailure(
        .cannotCreate, "\(path): it is a SQLite database; name another file, or delete it first")
    }
  }

  /// Follows links, as the kernel follows them with `protected_symlinks` (proc(5)): in a folder such as /tmp only those of
  /// this user and of the folder's owner.
  private static func target(of path: String) throws -> String {
    var place = path
    for _ in 0..<40 {
      var status = stat()
      guard lstat(place, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else { return place }
      var parent = stat()
      let isShared =
        stat(folder(of: place), &parent) == 0 && parent.st_mode & (S_ISVTX | S_IWOTH) == S_ISVTX | S_IWOTH
      if isShared, status.st_uid != geteuid(), status.st_uid != parent.st_uid {
        throw CommandFailure(
          .cannotCreate, "\(path): a link of another user in a shared folder; name another file")
      }
      let next = try FileManager.default.destinationOfSymbolicLink(atPath: place)
      place = next.hasPrefix("/") ? next : "\(folder(of: place))/\(next)"
    }
    throw CommandFailure(.cannotCreate, "\(path): too many links; name another file")
  }

  private static func folder(of path: String) -> String {
    let folder = (path as NSString).deletingLastPathComponent
    return folder.isEmpty ? "." : folder
  }

  /// Returns whether a path is the store, its search index, or a log or journal of either, by name or by file.
  private static func belongs(_ path: String, toStore store: String) -> Bool {
    let store = URL(fileURLWithPath: store).resolvingSymlinksInPath().path
    let files = [store, store + ".search"].flatMap { file in
      ["", "-wal", "-shm", "-journal"].map { file + $0 }
    }
    if let own = identity(of: path), files.contains(where: { identity(of: $0) == own }) { return true }
    // A log that does not exist yet has only a name.
    let names = files.map { ($0 as NSString).lastPathComponent }
    return names.contains((path as NSString).lastPathComponent)
      && identity(of: folder(of: path)) == identity(of: folder(of: store))
  }

  private static func identity(of path: String) -> [UInt64]? {
    var status = stat()
    return stat(path, &status) == 0 ? [UInt64(status.st_dev), UInt64(status.st_ino)] : nil
  }

  /// Returns whether a file begins as SQLite's files do (sqlite.org/fileformat2.html, 1.3.1).
  private static func isDatabase(_ path: String) -> Bool {
    guard let file = FileHandle(forReadingAtPath: path) else { return false }
    return (try? file.read(upToCount: 16)).flatMap { $0 } == Data("SQLite format 3\0".utf8)
  }
}
