import Glibc

/// An open file, closed with the last reference to it.
@safe final class FileDescriptor {
  private let descriptor: Int32

  /// Opens a file for reading; nil if that is not possible.
  init?(path: String) {
    descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
  }

  deinit {
    _ = close(descriptor)
  }

  /// Returns the next bytes; empty at the end of the file or after an error.
  func read(atMost count: Int) -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, received in
      received = max(0, unsafe Glibc.read(descriptor, buffer.baseAddress, count))
    }
  }
}
