internal import Foundation

/// An old text as stored before version 14 of the news model: the bytes that the text's next version lacks.
///
/// The old text begins and ends as the later one does. The middle is the difference, or ``parts`` of both.
struct TextDifference: Equatable {
  /// The byte counts at the start and at the end that the two texts share.
  let (start, end): (Int, Int)
  /// The text between its common start and end; empty if that is the difference as a whole.
  let parts: [Part]

  /// A part of the text: bytes from the difference, followed by bytes from the later text.
  struct Part: Equatable {
    let (own, later): (Range<Int>, Range<Int>)
  }

  /// Reads a stored difference; nil if the text was stored whole.
  ///
  /// - Parameter parts: A JSON array with four numbers for each part: the place and length of its bytes in
  ///   the difference, then in the later text.
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

  /// A number that is larger than any text's length.
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
