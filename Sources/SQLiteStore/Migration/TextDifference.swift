internal import Foundation

/// An old text as stores before version 14 of the news model kept it: the bytes that the next version of the text does not have.
///
/// The old text begins and ends as the later one does. Between them are the bytes of the difference, or ``parts`` of both.
struct TextDifference: Equatable {
  /// The number of bytes at the start and at the end that the two texts share.
  let (start, end): (Int, Int)
  /// The text between its common start and end; empty if that is the difference as a whole.
  let parts: [Part]

  /// A part of the text: bytes of the difference, and the bytes of the later text that follow them.
  struct Part: Equatable {
    let (own, later): (Range<Int>, Range<Int>)
  }

  /// Reads a stored difference; nil if the text was stored whole.
  ///
  /// - Parameter parts: An array of JSON with four numbers for each part: the place and the length of its bytes in the
  ///   difference, then the place and the length of its bytes in the later text.
  init?(start: Int64?, end: Int64?, parts: String?) {
    guard let start, let end else { return nil }
    (self.start, self.end) = (Int(start), Int(end))
    self.parts = parts.flatMap(Self.parts(text:)) ?? []
  }

  private static func parts(text: String) -> [Part]? {
    guard let numbers = try? JSONDecoder().decode([Int].self, from: Data(text.utf8)) else { return nil }
    let limited = numbers.map { min(max(0, $0), largest) }
    return stride(from: 0, to: limited.count - 3, by: 4).map { place in
      Part(
        own: limited[place]..<(limited[place] + limited[place + 1]),
        later: limited[place + 2]..<(limited[place + 2] + limited[place + 3]))
    }
  }

  /// A number that is larger than the length of any text.
  private static let largest = 1 << 40

  /// Returns the old text. Numbers that another program has written are limited to the texts.
  func applied(_ difference: [UInt8], to new: [UInt8]) -> [UInt8] {
    let start = min(max(0, start), new.count)
    let end = min(max(0, end), new.count)
    var text = Array(new[..<start])
    if parts.isEmpty { text += difference }
    for part in parts {
      text += difference[part.own.clamped(to: difference.indices)]
      text += new[part.later.clamped(to: new.indices)]
    }
    text += new[(new.count - end)...]
    return text
  }
}
