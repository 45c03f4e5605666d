extension String {
  /// Returns the text between two quotation marks, with each quotation mark inside doubled, as in SQL.
  ///
  /// This method compares bytes, because Swift combines a quotation mark and a following accent into one
  /// character.
  public func enclosed(by mark: Unicode.Scalar) -> String {
    let mark = UInt8(ascii: mark)
    guard utf8.contains(mark) else {
      return String(decoding: [mark] + Array(utf8) + [mark], as: UTF8.self)
    }
    let doubled = utf8.flatMap { $0 == mark ? [mark, mark] : [$0] }
    return String(decoding: [mark] + doubled + [mark], as: UTF8.self)
  }
}
