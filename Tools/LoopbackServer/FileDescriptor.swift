import Glibc

/// An open file, closed with its last reference.
@safe final class FileDescriptor {
  private let descriptor: Int32

  /// Opens a file for reading; nil when that's not possible.
  init?(path: String) {
    descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
  }

  deinit {
    _ = close(descriptor)
  }

  /// The next bytes; empty at the end of the file or when it can't be read.
  func read(atMost count: Int) -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, received in
      received = max(0, unsafe Glibc.read(descriptor, buffer.baseAddress, count))
    }
  }
}
