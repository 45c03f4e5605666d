internal import Foundation
internal import ManagedContext
internal import TextOutput

/// A new file under a temporary name in the target folder, so that it is not mistaken for a complete one.
final class UnfinishedFile {
  let file: String
  private let path: String
  /// Keeps the file locked with flock(2), to show that its process is alive. SQLite uses other locks.
  private let lock: Int32

  init(of path: String) throws(StoreError) {
    guard !path.isEmpty else { throw .cannotOpen("'': no name") }
    guard FileStatus(path: path, followsLinks: false) == nil else {
      throw .cannotOpen("\(path) already exists")
    }
    guard !DatabaseFile.isNamedAsPart(path) else {
      throw .cannotOpen("\(path): this name belongs to a SQLite database")
    }
    self.path = path
    let (folder, lastPart) = (FilePath.folder(of: path), FilePath.name(of: path))
    Self.removeOld(of: lastPart, in: folder)
    // A unique name, which no other process uses.
    let name = ".\(lastPart).\(UUID().uuidString)\(Self.ending)"
    file = (folder as NSString).appendingPathComponent(name)
    let descriptor = unsafe open(file, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .cannotOpen("\(path): \(systemCause())") }
    lock = descriptor
    flock(lock, LOCK_EX)
  }

  deinit { close(lock) }

  private static let ending = ".newsimport-part"

  /// Removes unfinished copies to the same name, which result from killed processes.
  private static func removeOld(of name: String, in folder: String) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    for left in names where left.hasPrefix(".\(name).") && left.contains(ending) {
      let file = (folder as NSString).appendingPathComponent(left)
      guard let end = file.range(of: ending, options: .backwards)?.upperBound else { continue }
      let part = String(file[..<end])
      // The files beside a part are removed with it, or after it.
      guard let status = FileStatus(path: part, followsLinks: false) else {
        unsafe unlink(file)
        continue
      }
      if Date().timeIntervalSince(status.changed) > lockTime, isAbandoned(part) { unsafe unlink(file) }
    }
  }

  /// The time in which a process locks a part that it has created, in seconds.
  private static let lockTime: TimeInterval = 10

  /// Returns whether the process that has written a part has ended.
  private static func isAbandoned(_ part: String) -> Bool {
    let descriptor = unsafe open(part, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return flock(descriptor, LOCK_EX | LOCK_NB) == 0
  }

  /// Renames the finished copy into place; an existing file is not replaced.
  ///
  /// After a power failure it is there, and complete.
  func takePlace() throws(StoreError) {
    try Self.sync(file, named: path, O_RDWR)
    if unsafe link(file, path) != 0 {
      // Some file systems do not support hard links.
      guard errno != EEXIST, FileStatus(path: path, followsLinks: false) == nil else {
        throw .cannotOpen("\(path) already exists")
      }
      guard unsafe rename(file, path) == 0 else { throw .cannotOpen("\(path): \(systemCause())") }
    }
    try Self.sync(FilePath.folder(of: path), named: path, O_RDONLY | O_DIRECTORY)
  }

  /// Makes a file's contents, or a folder's names, durable.
  private static func sync(_ file: String, named path: String, _ mode: Int32) throws(StoreError) {
    let descriptor = unsafe open(file, mode | O_CLOEXEC)
    guard descriptor >= 0 else { throw .inputOutput("\(path): \(systemCause())") }
    defer { close(descriptor) }
    // Some file systems do not support it for folders.
    guard fsync(descriptor) == 0 || errno == EINVAL else {
      throw .inputOutput("\(path): \(systemCause())")
    }
  }

  func remove() {
    for ending in ["-journal", "-wal", "-shm", ""] { unsafe unlink(file + ending) }
  }
}
