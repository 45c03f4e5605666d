import DocumentReading
import Glibc

/// Divides a source's bytes into lines of at most ``longest`` bytes.
struct LineReader {
  /// The maximum line length, in bytes. An article has at most 16 MiB of text.
  static let longest = 32 << 20
  /// The UTF-8 byte order mark, which may precede the first line.
  static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  enum Line {
    /// The line's range in ``bytes``, without its line feed.
    case text(Range<Int>)
    /// A line that is longer than ``longest``. It was skipped.
    case tooLong
  }

  private let source: any ByteSource
  /// The bytes that contain the last line. They change with the next one.
  private(set) var bytes: [UInt8] = []
  private var start = 0
  /// The end of the bytes that contain no line feed.
  private var searched = 0
  private var isSkipping = false
  /// True after a failure, which is noted once.
  private var hasFailed = false
  /// The last line's number, from 1.
  private(set) var number = 0

  init(_ source: any ByteSource) {
    self.source = source
  }

  /// Returns the next line; nil at the end. The last line needs no line feed.
  mutating func next() throws(InputFailure) -> Line? {
    while true {
      if let end = lineFeed() {
        let line = start..<end
        (start, searched) = (end + 1, end + 1)
        if isSkipping {
          isSkipping = false
          return .tooLong
        }
        number += 1
        return .text(line)
      }
      searched = bytes.count
      if bytes.count - start > Self.longest {
        if !isSkipping { number += 1 }
        isSkipping = true
        (bytes, start, searched) = ([], 0, 0)
      } else if isSkipping {
        (bytes, start, searched) = ([], 0, 0)
      }
      let piece = try source.next()
      if piece.isEmpty {
        let line = start..<bytes.count
        start = bytes.count
        searched = start
        if isSkipping {
          isSkipping = false
          return .tooLong
        }
        guard !line.isEmpty else { return nil }
        number += 1
        return .text(line)
      }
      if start == bytes.count {
        (bytes, start, searched) = (piece, 0, 0)
      } else {
        bytes.removeFirst(start)
        (searched, start) = (searched - start, 0)
        bytes += piece
      }
    }
  }

  /// Returns the next nonblank line's range; nil at the end and after a failure.
  ///
  /// - Parameter mistakes: Receives the failure, and skipped lines: too long, or not valid UTF-8.
  mutating func next(noting mistakes: inout LineMistakes) -> Range<Int>? {
    if hasFailed { return nil }
    do throws(InputFailure) {
      while let line = try next() {
        guard case .text(let whole) = line else {
          mistakes.add("longer than \(Self.longest >> 20) MiB", inLine: number)
          continue
        }
        let range = withoutMark(whole)
        // A blank line.
        if range.allSatisfy({ [0x20, 0x09, 0x0D].contains(bytes[$0]) }) { continue }
        guard (try? UTF8Span(validating: bytes.span.extracting(range))) != nil else {
          mistakes.add("not valid UTF-8", inLine: number)
          continue
        }
        return range
      }
    } catch {
      mistakes.add(error.cause)
      hasFailed = true
    }
    return nil
  }

  private func withoutMark(_ line: Range<Int>) -> Range<Int> {
    guard number == 1, bytes[line].starts(with: Self.byteOrderMark) else { return line }
    return line.lowerBound + Self.byteOrderMark.count..<line.upperBound
  }

  private func lineFeed() -> Int? {
    unsafe bytes.withUnsafeBytes { buffer -> Int? in
      guard let base = buffer.baseAddress, searched < buffer.count,
        let found = unsafe memchr(base + searched, 0x0A, buffer.count - searched)
      else { return nil }
      return unsafe UnsafeRawPointer(found) - base
    }
  }
}
