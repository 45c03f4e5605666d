extension Set<String> {
  /// Creates a set of the names of elements or attributes in a text, where white space separates them.
  init(names: String) {
    self.init(names.split(whereSeparator: \.isWhitespace).map(String.init))
  }
}

extension UInt8 {
  var isASCIILetter: Bool { (0x61...0x7A).contains(self | 0x20) }
  var isASCIIAlphanumeric: Bool { isASCIILetter || (0x30...0x39).contains(self) }
}
