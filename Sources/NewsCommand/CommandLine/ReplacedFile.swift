import TextOutput
import Foundation
import Glibc
import NewsConfiguration
import SQLiteStore

/// The file that a command is to replace, after the checks that it may be replaced.
struct ReplacedFile {
  /// The path with links resolved.
  let path: String
  /// The folder.
  let folder: String
  /// The old file's permissions; nil if none exists.
  let mode: mode_t?

  /// - Throws: ``CommandFailure`` with status 73 for anything but a usual file, for the store and other
  ///   databases, for the configuration and its secrets, and for a link that another user put into a shared
  ///   folder.
  init(_ path: String, sparing store: StoreLocation, _ configuration: ConfigurationOptions) throws {
    let target = try Self.target(of: path)
    self.path = target
    folder = FilePath.folder(of: target)
    var status = stat()
    // A link of /proc/self/fd leads to files without a path.
    let isThere = stat(path, &status) == 0
    if isThere, status.st_mode & S_IFMT != S_IFREG {
      throw CommandFailure(.cannotCreate, "\(path): not a file that can be replaced; name another one")
    }
    mode = isThere ? status.st_mode & 0o777 : nil
    if store.contains(file: target) {
      throw CommandFailure(.cannotCreate, "\(path): it belongs to the store; name another file")
    }
    if [configuration.path, ConfigurationOptions.usualPath].contains(where: { Self.isSame(target, $0) }) {
      throw CommandFailure(.cannotCreate, "\(path): it is the configuration; name another file")
    }
    // The other commands report a configuration that cannot be read.
    if (try? configuration.load())?.secretFiles.contains(where: { Self.isSame(target, $0) }) ?? false {
      throw CommandFailure(
        .cannotCreate, "\(path): the configuration names it as the file of a secret; name another file")
    }
    if DatabaseFile.isPart(target) {
      throw CommandFailure(
        .cannotCreate, "\(path): it belongs to a SQLite database; name another file, or delete it first")
    }
  }

  /// Follows the links in all parts of a path, as the kernel follows them with `protected_symlinks`
  /// (proc(5)): in a folder such as /tmp, only links that this user or the folder's owner has made.
  private static func target(of path: String) throws -> String {
    var place = path.hasPrefix("/") ? "/" : ""
    var parts = Array(path.split(separator: "/").map(String.init).reversed())
    var links = 0
    while let part = parts.popLast() {
      let next = place.isEmpty || place.hasSuffix("/") ? place + part : "\(place)/\(part)"
      var (status, parent) = (stat(), stat())
      guard lstat(next, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else {
        place = next
        continue
      }
      links += 1
      guard links <= mostLinks else {
        throw CommandFailure(.cannotCreate, "\(path): too many links; name another file")
      }
      let isShared =
        stat(FilePath.folder(of: next), &parent) == 0
        && parent.st_mode & (S_ISVTX | S_IWOTH) == S_ISVTX | S_IWOTH
      if isShared, status.st_uid != geteuid(), status.st_uid != parent.st_uid {
        throw CommandFailure(
          .cannotCreate,
          "\(path): \(next == path ? "" : "it is reached by \(next), ")a link of another user in a shared folder; "
            + "name another file")
      }
      let target = try FileManager.default.destinationOfSymbolicLink(atPath: next)
      if target.hasPrefix("/") { place = "/" }
      parts += target.split(separator: "/").map(String.init).reversed()
    }
    return path.hasSuffix("/") ? place + "/" : place
  }

  /// The most links that the kernel follows in a path (path_resolution(7)).
  private static let mostLinks = 40

  /// Returns whether a path is the store, its search index, a log or journal of either, or the folder for
  /// attached stores or a file in it, by name or by file.
  static func belongs(_ path: String, toStore store: String) -> Bool {
    let store = URL(fileURLWithPath: store).resolvingSymlinksInPath().path
    let files = [store, store + ".search"].flatMap { file in
      ["", "-wal", "-shm", "-journal", "-locks"].map { file + $0 }
    }
    let attached = store + ".attached"
    return (files + [attached]).contains { isSame(path, $0) } || isSame(FilePath.folder(of: path), attached)
  }

  /// Returns whether two paths name one file. A file that does not exist yet has only a name.
  private static func isSame(_ path: String, _ other: String) -> Bool {
    if let own = identity(of: path), own == identity(of: other) { return true }
    guard FilePath.name(of: path) == FilePath.name(of: other),
      let folder = identity(of: FilePath.folder(of: path))
    else { return false }
    return folder == identity(of: FilePath.folder(of: other))
  }

  private static func identity(of path: String) -> [UInt64]? {
    var status = stat()
    return stat(path, &status) == 0 ? [UInt64(status.st_dev), UInt64(status.st_ino)] : nil
  }
}
