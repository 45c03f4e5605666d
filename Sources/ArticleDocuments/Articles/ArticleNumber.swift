package import TextOutput

/// An article's number for people: `4711` is in the main store, `old:4711` in the attached store `old`.
package struct ArticleNumber: Hashable, CustomStringConvertible {
  /// The attached store's name; nil for the main store.
  package var store: String?
  /// The row, from 1.
  package let key: Int64

  /// An article in the main store.
  package init(_ key: Int64) {
    self.key = key
  }

  /// An article in an attached store; nil stands for the main store.
  package init(_ key: Int64, in store: String?) {
    (self.key, self.store) = (key, store)
  }

  /// Reads a number; nil for other text.
  package init?(argument text: String) {
    // A store's name has no colon.
    let colon = text.utf8.lastIndex(of: UInt8(ascii: ":"))
    let digits = colon.map { text[text.utf8.index(after: $0)...] } ?? text[...]
    guard let key = Int64(digits), key > 0, colon != text.startIndex else { return nil }
    self.init(key, in: colon.map { String(text[..<$0]) })
  }

  package var description: String { store.map { "\($0):\(key)" } ?? "\(key)" }

  /// Returns the numbers that one typing error makes of a number, in groups, the most likely first: two
  /// digits swapped, one doubled, one added, one missing, one wrong.
  package static func near(_ number: Int64) -> [[Int64]] {
    let digits = Array(String(number))
    func numbers(_ made: [[Character]]) -> [Int64] {
      var seen: Set<Int64> = [number]
      return made.compactMap { digits in
        guard digits.first != "0", let near = Int64(String(digits)), near > 0 else { return nil }
        return seen.insert(near).inserted ? near : nil
      }
    }
    let places = digits.indices
    func without(_ place: Int) -> [Character] { Array(digits[..<place] + digits[(place + 1)...]) }
    return [
      numbers(
        places.dropLast().map { place in
          var swapped = digits
          swapped.swapAt(place, place + 1)
          return swapped
        }),
      numbers(places.dropLast().filter { digits[$0] == digits[$0 + 1] }.map(without)),
      numbers(places.map(without)),
      numbers(
        (0...digits.count).flatMap { place in
          "0123456789".map { Array(digits[..<place]) + [$0] + Array(digits[place...]) }
        }),
      // Numbers with one or two digits are too short for a useful suggestion.
      numbers(
        digits.count < 3
          ? []
          : places.flatMap { place in
            "0123456789".map { digit in
              var wrong = digits
              wrong[place] = digit
              return wrong
            }
          }),
    ]
  }

  /// Returns the most likely group of existing numbers; empty if it is too large to list.
  package static func meant(by number: Int64, among there: Set<Int64>) -> [Int64] {
    let group = near(number).lazy.map { $0.filter(there.contains) }.first { !$0.isEmpty } ?? []
    return group.count <= 3 ? group : []
  }
}

extension ArticleNumber: RecordValue {
  package var recordText: String { description }

  /// Writes a number in the main store, and a string in an attached one.
  package func writeJSON(to json: inout JSONText) {
    if store == nil { json.raw(description) } else { json.string(description) }
  }
}
