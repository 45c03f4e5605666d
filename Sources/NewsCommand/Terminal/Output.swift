import ArticleDocuments
import Foundation
import Glibc
import TextOutput

/// A file descriptor for text. Output to a terminal is written at once, other output in large pieces.
@MainActor
final class Output {
  /// Command results.
  static let standard = Output(1)
  /// Messages.
  static let error = Output(2)

  /// True if the descriptor is a terminal.
  let isTerminal: Bool
  /// The system's error of a failed write; nil without one, and if only the reader closed the pipe.
  private(set) var failure: Int32?
  /// True if the reader closed the pipe; later output is discarded.
  private(set) var isClosed = false

  /// The pager command that starts with the first output; nil for none.
  var pager: String?
  private var running: Pager?

  private let descriptor: Int32
  private var buffer: [UInt8] = []

  private init(_ descriptor: Int32) {
    self.descriptor = descriptor
    isTerminal = isatty(descriptor) == 1
  }

  /// True if a pipe's reader has ended, even if nothing was written since.
  var isReaderGone: Bool {
    var waited = pollfd(fd: descriptor, events: 0, revents: 0)
    return poll(&waited, 1, 0) > 0 && waited.revents & Int16(POLLERR | POLLHUP) != 0
  }

  /// The terminal's width in columns; nil unless the descriptor is a terminal.
  var columns: Int? {
    guard isTerminal else { return nil }
    var size = winsize()
    guard ioctl(running?.terminal ?? descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
      return 80
    }
    return Int(size.ws_col)
  }

  /// Writes lines for people. On a terminal, long lines are wrapped; see ``wrapped(_:to:)``.
  func print(_ text: String) {
    write(wrapped(text, to: columns))
  }

  /// Writes a program message on its own line; see ``print(_:)``.
  func warn(_ message: String) {
    print("newsimport: \(message)\n")
  }

  /// Writes text unchanged; on a terminal and on standard error at once.
  func write(_ text: String) {
    guard !isClosed else { return }
    buffer += text.utf8
    finishBlock()
  }

  /// Writes bytes; see ``write(_:)-(String)``.
  func write(_ bytes: [UInt8]) {
    guard !isClosed else { return }
    buffer += bytes
    finishBlock()
  }

  /// Writes JSON lines, which `body` appends to the output without a copy.
  func writeJSON(_ body: (inout JSONText) -> Void) {
    writeBytes { bytes in
      var json = JSONText(continuing: &bytes)
      body(&json)
      bytes = json.takeBytes()
    }
  }

  /// Writes what `body` appends for programs; on a terminal, without control characters.
  func writeBytes(_ body: (inout [UInt8]) -> Void) {
    guard !isClosed else { return }
    let start = buffer.count
    body(&buffer)
    if isTerminal {
      let text = printableLines(String(decoding: buffer[start...], as: UTF8.self))
      buffer.replaceSubrange(start..., with: text.utf8)
    }
    finishBlock()
  }

  /// Writes the buffered output once it is a large block.
  private func finishBlock() {
    if isTerminal || descriptor == 2 || buffer.count >= Self.block { finish() }
  }

  private static let block = 64 << 10

  /// Starts the pager. Messages also go through it, because they would appear in the middle of its page.
  private func startPager() {
    guard let command = pager else { return }
    pager = nil
    let isOfTerminal = Output.error.isTerminal
    running = Pager(command, replacing: isOfTerminal ? [descriptor, 2] : [descriptor])
  }

  /// True while a pager shows the output. It understands no control sequences but colours.
  var isPaged: Bool { running != nil }

  /// Writes the buffered output, and waits until the user leaves the pager.
  func end() {
    finish()
    running?.finish()
    running = nil
  }

  /// Writes the buffered output.
  func finish() {
    if !buffer.isEmpty { startPager() }
    var rest = buffer[...]
    defer {
      rest = []
      buffer.removeAll(keepingCapacity: buffer.capacity <= 2 * Self.block)
    }
    while !rest.isEmpty, !isClosed {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno != EINTR && errno != EAGAIN {
        isClosed = true
        failure = errno == EPIPE ? nil : errno
      }
    }
  }
}

/// Writes an object as a line on standard output.
@MainActor
func writeJSON(_ object: JSONLine) {
  Output.standard.write(object.line)
}
