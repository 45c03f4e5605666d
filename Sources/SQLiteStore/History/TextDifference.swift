internal import Foundation

/// The difference of a text to a later one: the bytes that the later text does not have.
///
/// Most edits change one place. Then the difference is what is between a common start and a common end. If more is between them,
/// parts of it are taken from the later text, too. Unlike compressed text, a difference can be read with SQL alone, in other
/// programs too.
struct TextDifference: Equatable {
  /// The number of bytes at the start and at the end that the two texts share.
  let (start, end): (Int, Int)
  /// The text between its common start and end; empty if that is the difference as a whole.
  let parts: [Part]

  /// A part of the text: bytes of the difference, and the bytes of the later text that follow them.
  struct Part: Equatable {
    let (own, later): (Range<Int>, Range<Int>)
  }

  /// Fewer shared bytes save nothing.
  private static let fewest = 32

  /// Compares two texts; nil if they share too little. Shared parts end at the bounds of UTF-8 characters.
  init?(of old: Span<UInt8>, to new: Span<UInt8>) {
    let shortest = min(old.count, new.count)
    var start = 0
    while start < shortest, old[start] == new[start] { start += 1 }
    while start > 0, old.isInsideCharacter(start) || new.isInsideCharacter(start) { start -= 1 }
    var end = 0
    while end < shortest - start, old[old.count - 1 - end] == new[new.count - 1 - end] { end += 1 }
    while end > 0, old.isInsideCharacter(old.count - end) || new.isInsideCharacter(new.count - end) {
      end -= 1
    }
    let common = CommonPart.all(of: old, start..<(old.count - end), in: new, start..<(new.count - end))
    guard start + end + common.reduce(0, { $0 + $1.count }) >= Self.fewest else { return nil }
    (self.start, self.end) = (start, end)
    parts = Self.parts(common, of: start..<(old.count - end))
  }

  /// - Parameter middle: The range of the text that the parts are of.
  private static func parts(_ common: [CommonPart], of middle: Range<Int>) -> [Part] {
    guard !common.isEmpty else { return [] }
    var parts: [Part] = []
    var (place, own) = (middle.lowerBound, 0)
    for part in common {
      let next = own + part.old - place
      parts.append(Part(own: own..<next, later: part.new..<(part.new + part.count)))
      (place, own) = (part.old + part.count, next)
    }
    if place < middle.upperBound {
      parts.append(Part(own: own..<(own + middle.upperBound - place), later: 0..<0))
    }
    return parts
  }

  /// Reads a stored difference; nil if the text was stored whole.
  init?(start: Int64?, end: Int64?, parts: String?) {
    guard let start, let end else { return nil }
    (self.start, self.end) = (Int(start), Int(end))
    self.parts = parts.flatMap(Self.parts(text:)) ?? []
  }

  /// The parts as an array of JSON, with four numbers for each: the place and the length of its bytes in the difference, and
  /// those of its bytes in the later text. Nil without parts.
  var partsText: String? {
    guard !parts.isEmpty else { return nil }
    let numbers = parts.flatMap { part in
      [part.own.lowerBound, part.own.count, part.later.lowerBound, part.later.count]
    }
    return "[\(numbers.map(String.init).joined(separator: ","))]"
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

  /// Returns the bytes of a text that the later text does not have.
  func difference(of old: [UInt8]) -> [UInt8] {
    guard !parts.isEmpty else { return Array(old[start..<(old.count - end)]) }
    var difference: [UInt8] = []
    var place = start
    for part in parts {
      difference += old[place..<(place + part.own.count)]
      place += part.own.count + part.later.count
    }
    return difference
  }

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
