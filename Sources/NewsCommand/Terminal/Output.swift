import Foundation

#if canImport(Glibc)
  import Glibc
#endif

/// A descriptor that text is written to, in large pieces when nobody watches.
@MainActor
final class Output {
  /// Results.
  static let standard = Output(1)
  /// Everything else.
  static let error = Output(2)

  /// Whether it is a terminal.
  let isTerminal: Bool
  /// Whether something could not be written, for another reason than a reader that left.
  private(set) var hasFailed = false
  /// Whether the reader left: what is written from then on goes nowhere.
  private(set) var isClosed = false

  /// Whether anything was written to it.
  private(set) var hasWritten = false

  private let descriptor: Int32
  private var buffer: [UInt8] = []

  private init(_ descriptor: Int32) {
    self.descriptor = descriptor
    isTerminal = isatty(descriptor) == 1
  }

  /// Whether the reader of a pipe has ended, though nothing was written since.
  var isReaderGone: Bool {
    var waited = pollfd(fd: descriptor, events: 0, revents: 0)
    return poll(&waited, 1, 0) > 0 && waited.revents & Int16(POLLERR | POLLHUP) != 0
  }

  /// The width of the terminal in columns; nil where there is none.
  var columns: Int? {
    guard isTerminal else { return nil }
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  /// Writes lines for people, who get long ones wrapped where they look at a terminal; see ``wrapped(_:to:)``.
  func tell(_ text: String) {
    write(wrapped(text, to: columns))
  }

  /// Writes text as it is; on a terminal and on standard error at once.
  func write(_ text: String) {
    write(Array(text.utf8))
  }

  /// Writes bytes; see ``write(_:)-(String)``.
  func write(_ bytes: [UInt8]) {
    guard !isClosed else { return }
    buffer += bytes
    hasWritten = hasWritten || !bytes.isEmpty
    if isTerminal || descriptor == 2 || buffer.count >= 64 << 10 { finish() }
  }

  /// Writes what is held back.
  func finish() {
    var rest = buffer[...]
    buffer = []
    while !rest.isEmpty, !isClosed {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno != EINTR && errno != EAGAIN {
        isClosed = true
        hasFailed = errno != EPIPE
      }
    }
  }
}
