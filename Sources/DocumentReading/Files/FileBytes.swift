internal import Glibc
internal import TextOutput

/// An open file's bytes. The file is closed when this object is released.
package final class FileBytes: ByteSource {
  private let descriptor: Int32
  private let isOwn: Bool
  /// Returns true if a pipe's bytes are not needed any more.
  private let mustEnd: @Sendable () -> Bool
  /// A regular file's size, in bytes, when it was opened; 0 for others.
  package let size: Int

  /// Opens a file that a user has named: a regular file or a pipe without a name.
  ///
  /// - Parameter mustEnd: Asked several times a second while a pipe has no bytes; true ends the wait.
  /// - Throws: ``InputFailure`` for a missing file, a folder, a device and a socket.
  package convenience init(
    opening path: FilePathBytes, until mustEnd: @escaping @Sendable () -> Bool = { false }
  ) throws(InputFailure) {
    try self.init(path, follows: true, mustEnd)
  }

  /// Opens a regular file in a folder. It must not have become a symbolic link.
  package convenience init(openingEntry path: FilePathBytes) throws(InputFailure) {
    try self.init(path, follows: false) { false }
  }

  private init(
    _ path: FilePathBytes, follows: Bool, _ mustEnd: @escaping @Sendable () -> Bool
  ) throws(InputFailure) {
    // Opening a named pipe would release a waiting writer, and opening a device may do anything.
    let before = try FileKind(of: path, follows: follows)
    guard before == .regular || (follows && before == .pipe) else {
      throw InputFailure(.refused, before.refusal)
    }
    // Another file may be there since the check.
    let flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | (follows ? 0 : O_NOFOLLOW)
    let opened = unsafe path.withCString { unsafe open($0, flags) }
    guard opened >= 0 else { throw FileKind.failure(errno) }
    var status = stat()
    guard unsafe fstat(opened, &status) == 0 else {
      let code = errno
      close(opened)
      throw FileKind.failure(code)
    }
    let kind = FileKind(status.st_mode)
    guard kind == .regular || (follows && kind == .pipe) else {
      close(opened)
      throw InputFailure(.refused, kind.refusal)
    }
    (descriptor, isOwn) = (opened, true)
    size = kind == .regular ? Int(status.st_size) : 0
    self.mustEnd = mustEnd
  }

  /// The bytes of standard input, which stays open.
  ///
  /// - Parameter mustEnd: Asked several times a second during a wait for bytes; true ends the wait.
  package init(standardInputUntil mustEnd: @escaping @Sendable () -> Bool) {
    (descriptor, isOwn, size) = (STDIN_FILENO, false, 0)
    self.mustEnd = mustEnd
  }

  deinit {
    if isOwn { close(descriptor) }
  }

  package func next() throws(InputFailure) -> [UInt8] {
    if size == 0 { try awaitBytes() }
    var count = 0
    let capacity = Self.pieceBytes
    let piece = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, used in
      repeat {
        count = unsafe read(descriptor, buffer.baseAddress, capacity)
      } while count < 0 && errno == EINTR
      used = max(0, count)
    }
    guard count >= 0 else { throw FileKind.failure(errno) }
    return piece
  }

  /// Moves to another position in a regular file (lseek(2)).
  ///
  /// - Returns: The position from the beginning; negative if that is impossible.
  func seek(to offset: Int64, from origin: Int32) -> Int64 { Int64(lseek(descriptor, off_t(offset), origin)) }

  /// Waits until bytes are available or the end is reached, so that reading does not block.
  private func awaitBytes() throws(InputFailure) {
    var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    while unsafe poll(&wanted, 1, Self.millisecondsOfWait) <= 0 {
      if mustEnd() { throw .stopped }
    }
  }

  private static let millisecondsOfWait: Int32 = 200
}

/// The kinds of files that are treated differently.
package enum FileKind: Sendable, Equatable {
  case regular
  case folder
  case link
  case pipe
  /// A pipe with a name in a folder. Reading would wait for a program that may never write.
  case namedPipe
  case device
  case socket

  /// Determines a file's kind.
  ///
  /// - Parameter follows: True to follow a symbolic link to its target.
  package init(of path: FilePathBytes, follows: Bool) throws(InputFailure) {
    var status = stat()
    let code = unsafe path.withCString { unsafe follows ? stat($0, &status) : lstat($0, &status) }
    guard code == 0 else {
      let failure = Self.failure(errno)
      guard failure.kind == .missing, path.text.contains("://") else { throw failure }
      throw InputFailure(.missing, "an address, but only files are read")
    }
    self.init(status.st_mode)
    if self == .pipe, follows, status.st_dev != Self.deviceOfPipes { self = .namedPipe }
  }

  /// The device of unnamed pipes, such as `/dev/fd/63` for `<(COMMAND)`; nil if the system has no pipe left.
  private static let deviceOfPipes: dev_t? = {
    var ends: [Int32] = [0, 0]
    guard unsafe Glibc.pipe(&ends) == 0 else { return nil }
    defer { for end in ends { close(end) } }
    var status = stat()
    return unsafe fstat(ends[0], &status) == 0 ? status.st_dev : nil
  }()

  init(_ mode: mode_t) {
    self =
      switch mode & S_IFMT {
      case S_IFREG: .regular
      case S_IFDIR: .folder
      case S_IFLNK: .link
      case S_IFIFO: .pipe
      case S_IFSOCK: .socket
      default: .device
      }
  }

  /// The reason why such files are not read, in words.
  package var refusal: String {
    switch self {
    case .regular: "cannot be read"
    case .folder: "a folder, not a file"
    case .link: "a symbolic link, which is not followed in a folder"
    case .pipe: "a pipe, which is not read in a folder"
    case .namedPipe: "a named pipe, which is not read; write - instead, and pass it as standard input"
    case .device: "a device, which is not read"
    case .socket: "a socket, which is not read"
    }
  }

  static func failure(_ code: Int32) -> InputFailure {
    switch code {
    case ENOENT, ENOTDIR: InputFailure(.missing, "no such file")
    case EACCES, EPERM:
      InputFailure(
        .system,
        "permission denied; allow this user to read it and to enter its folders (namei -l shows whose they are)"
      )
    default: InputFailure(.system, "cannot be read: \(systemCause(code))")
    }
  }
}
