/// Returns whether a name is listed before another: by UTF-8, but with groups of digits as numbers, so that "region 2"
/// precedes "region 10".
public func precedesInLists(_ name: String, _ other: String) -> Bool {
  let (left, right) = (name.utf8.span, other.utf8.span)
  var (place, otherPlace) = (0, 0)
  while place < left.count, otherPlace < right.count {
    if isDigit(left[place]), isDigit(right[otherPlace]) {
      let (number, otherNumber) = (digits(at: &place, in: left), digits(at: &otherPlace, in: right))
      if number.count != otherNumber.count { return number.count < otherNumber.count }
      for (digit, otherDigit) in zip(number, otherNumber) where left[digit] != right[otherDigit] {
        return left[digit] < right[otherDigit]
      }
    } else {
      if left[place] != right[otherPlace] { return left[place] < right[otherPlace] }
      place += 1
      otherPlace += 1
    }
  }
  let (rest, otherRest) = (left.count - place, right.count - otherPlace)
  return rest == otherRest ? name.utf8.lexicographicallyPrecedes(other.utf8) : rest < otherRest
}

private func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

/// Returns the places of a number's digits without leading zeros, and moves behind the number.
private func digits(at place: inout Int, in text: Span<UInt8>) -> Range<Int> {
  while place < text.count, text[place] == UInt8(ascii: "0") { place += 1 }
  let start = place
  while place < text.count, isDigit(text[place]) { place += 1 }
  return start..<place
}
