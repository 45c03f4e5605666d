internal import Markup

/// An answer's Link field (RFC 8288, section 3): `<target>; name="value", ...`.
enum LinkField {
  /// A link with its parameters, by their names in lower case. The first value for a name counts.
  struct Link: Equatable {
    var target: String
    var parameters: [String: String] = [:]
  }

  /// Returns a field's links. Unreadable parts are skipped.
  static func links(_ field: String) -> [Link] {
    var links: [Link] = []
    var rest = Array(field.utf8)[...]
    while let start = rest.firstIndex(of: UInt8(ascii: "<")),
      let end = rest[start...].firstIndex(of: UInt8(ascii: ">"))
    {
      let target = rest[(start + 1)..<end].filter { !$0.isXMLSpace }
      var link = Link(target: String(decoding: target, as: UTF8.self))
      rest = rest[(end + 1)...]
      skipBlanks(&rest)
      while rest.first == UInt8(ascii: ";") {
        rest.removeFirst()
        let name = takeToken(&rest).lowercased()
        let value = takeValue(&rest)
        if !name.isEmpty, link.parameters[name] == nil { link.parameters[name] = value }
        skipBlanks(&rest)
      }
      links.append(link)
    }
    return links
  }

  private static func takeToken(_ rest: inout ArraySlice<UInt8>) -> String {
    skipBlanks(&rest)
    let token = rest.prefix { !$0.isXMLSpace && !"=;,\"".utf8.contains($0) }
    rest = rest[token.endIndex...]
    skipBlanks(&rest)
    return String(decoding: token, as: UTF8.self)
  }

  private static func takeValue(_ rest: inout ArraySlice<UInt8>) -> String {
    guard rest.first == UInt8(ascii: "=") else { return "" }
    rest.removeFirst()
    skipBlanks(&rest)
    guard rest.first == UInt8(ascii: "\"") else { return takeToken(&rest) }
    rest.removeFirst()
    var value: [UInt8] = []
    while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
      if byte == UInt8(ascii: "\\"), let next = rest.popFirst() {
        value.append(next)
      } else {
        value.append(byte)
      }
    }
    return String(decoding: value, as: UTF8.self)
  }

  private static func skipBlanks(_ rest: inout ArraySlice<UInt8>) {
    rest = rest.drop { $0.isXMLSpace }
  }
}
