internal import Foundation
internal import Threading

#if canImport(Glibc)
  internal import Glibc
#endif

/// A terminal for programs that behave differently when they write into a pipe.
public final class Terminal: Sendable {
  /// An error for a system without a free terminal; the code is errno's.
  public struct OpenError: Error {
    public let code: Int32
  }

  /// The device for a program's standard output and error.
  let path: String
  /// The complete output, after each addition.
  private let shown: AsyncStream<String>
  private let last = Locked("")

  /// Opens a terminal with a number of columns.
  ///
  /// - Throws: ``OpenError``.
  public init(columns: Int) throws {
    // The steps of posix_openpt(3), unlockpt(3) and ptsname(3), which Swift does not import.
    let master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    var lock: Int32 = 0
    var number: UInt32 = 0
    guard master >= 0, ioctl(master, Self.setLock, &lock) == 0, ioctl(master, Self.getNumber, &number) == 0
    else { throw OpenError(code: errno) }
    path = "/dev/pts/\(number)"
    var size = winsize(ws_row: 24, ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(master, UInt(TIOCSWINSZ), &size)
    let (stream, continuation) = AsyncStream<String>.makeStream()
    shown = stream
    // A reader is necessary, or the program waits. Reading ends when the last program has closed the terminal.
    let thread = try OwnThread(name: "terminal") {
      var bytes: [UInt8] = []
      var piece = [UInt8](repeating: 0, count: 4096)
      while true {
        let count = read(master, &piece, piece.count)
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else { break }
        bytes += piece[..<count]
        continuation.yield(String(decoding: bytes, as: UTF8.self).replacing("\r\n", with: "\n"))
      }
      close(master)
      continuation.finish()
    }
    thread.detach()
  }

  /// TIOCSPTLCK and TIOCGPTN of asm-generic/ioctls.h.
  private static let (setLock, getNumber): (UInt, UInt) = (0x4004_5431, 0x8004_5430)

  /// Waits until the output contains a text. Also returns when the program has ended without it.
  public func wait(for words: String) async {
    for await text in shown {
      last.withLock { $0 = text }
      if text.contains(words) { return }
    }
  }

  /// Returns the complete output with control sequences after the program has ended.
  func text() async -> String {
    for await text in shown { last.withLock { $0 = text } }
    return last.withLock { $0 }
  }
}
