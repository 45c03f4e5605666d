import Glibc

/// A file's identity: its device and inode.
struct FileNumber: Equatable {
  private let device: UInt64
  private let number: UInt64

  /// Nil if the file does not exist or is empty.
  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0, status.st_size > 0 else { return nil }
    (device, number) = (UInt64(status.st_dev), UInt64(status.st_ino))
  }
}
