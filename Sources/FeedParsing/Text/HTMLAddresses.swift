internal import Markup

/// Resolves the relative addresses in HTML. An address that is only a fragment (`#note`) stays: it is a link
/// inside the text.
enum HTMLAddresses {
  /// Returns whether the HTML may contain a relative address. This scan saves the rewriting in the usual
  /// case.
  static func mayBeRelative(_ html: Span<UInt8>) -> Bool {
    var index = 0
    while let equals = html.firstIndex(of: UInt8(ascii: "="), from: index) {
      index = equals + 1
      if isUsualLink(html, at: equals) { continue }
      var end = equals
      while end > 0, html[end - 1].isXMLSpace { end -= 1 }
      guard end > 2, mayEndName(html[end - 1], after: html[end - 2]) else { continue }
      var start = end
      while start > 0, html[start - 1].isASCIILetter || html[start - 1] == UInt8(ascii: "-") { start -= 1 }
      guard kind(of: html.extracting(start..<end)) != .text else { continue }
      while index < html.count, html[index].isXMLSpace { index += 1 }
      if index < html.count, html[index] == 0x22 || html[index] == 0x27 { index += 1 }
      guard index < html.count, html[index] != UInt8(ascii: "#") else { continue }
      if !html.isWebAddress(at: index) { return true }
    }
    return false
  }

  /// Returns whether an address attribute's name may end with these two letters. This excludes most names.
  private static func mayEndName(_ letter: UInt8, after previous: UInt8) -> Bool {
    endings[Int(letter & 31)] >> UInt32(previous & 31) & 1 == 1
  }

  /// The letters before each last letter in the names, as bits: 26 letters are 5 bits of ASCII in either
  /// case.
  private static let endings: [UInt32] = {
    let lazy = (LazyPicture.addresses + LazyPicture.lists).map { "\($0)" }
    var endings = [UInt32](repeating: 0, count: 32)
    for name in names + ["srcset"] + lazy {
      let end = name.utf8.suffix(2).map { $0 & 31 }
      endings[Int(end[1])] |= 1 << UInt32(end[0])
    }
    return endings
  }()

  /// Returns whether the text around the equals sign is `href="http`, and the address is absolute, as in
  /// nearly all links.
  private static func isUsualLink(_ html: Span<UInt8>, at equals: Int) -> Bool {
    guard equals >= 4, html.count - equals >= 10 else { return false }
    return unsafe html.withUnsafeBytes { bytes in
      let name = unsafe bytes.loadUnaligned(fromByteOffset: equals - 4, as: UInt32.self)
      let scheme = unsafe bytes.loadUnaligned(fromByteOffset: equals + 2, as: UInt32.self)
      guard name == href, scheme == http, unsafe bytes[equals + 1] == 0x22 else { return false }
      return html.hasPrefix("://", at: equals + (html[equals + 6] == UInt8(ascii: "s") ? 7 : 6))
    }
  }

  private static let href = fourBytes("href")
  private static let http = fourBytes("http")

  /// Returns the bytes in memory order.
  private static func fourBytes(_ text: StaticString) -> UInt32 {
    unsafe UnsafeRawPointer(text.utf8Start).loadUnaligned(as: UInt32.self)
  }

  /// The kind of an attribute's value.
  enum ValueKind {
    case text
    /// One address.
    case address
    /// Addresses, each with a description after a space.
    case list
  }

  /// Returns the kind of value for an attribute.
  static func kind(of name: Span<UInt8>) -> ValueKind {
    if name.count > 5, name[4] == UInt8(ascii: "-"), name.hasPrefixIgnoringCase("data-") {
      return kindOfLazy(name)
    }
    guard (3...10).contains(name.count) else { return .text }
    if name.count == 10, name.equalsIgnoringCase("xlink:href") { return .address }
    // Eight letters fit into a word; a longer name is recognised by its length.
    var word: UInt64 = 0
    for index in 0..<min(name.count, 8) { word = word << 8 | UInt64(name[index] | 0x20) }
    if word == srcset { return name.count == 6 ? .list : .text }
    guard let index = addresses.firstIndex(of: word) else { return .text }
    return name.count <= 8 || (index == 0 && name.count == 10) ? .address : .text
  }

  /// Returns the kind of value for an attribute from which scripts load a picture.
  private static func kindOfLazy(_ name: Span<UInt8>) -> ValueKind {
    if LazyPicture.lists.contains(where: { name.equalsIgnoringCase($0) }) { return .list }
    return LazyPicture.addresses.contains { name.equalsIgnoringCase($0) } ? .address : .text
  }

  private static let srcset = word("srcset")

  /// The attributes that contain one address. `background` is first: only its name is longer than eight
  /// letters.
  private static let names = [
    "background", "href", "src", "action", "cite", "poster", "longdesc", "usemap", "data", "classid",
    "codebase", "profile",
  ]
  private static let addresses = names.map(word)

  private static func word(_ name: String) -> UInt64 {
    name.utf8.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Returns the address in HTML's first `base` element with one (HTML Standard, section 4.2.3), resolved
  /// against the base around the HTML; nil without one.
  private static func base(in html: Span<UInt8>, around outer: URLBase?) -> URLBase? {
    guard html.containsIgnoringCase("<base") else { return nil }
    var text: [UInt8] = []
    text.append(html)
    var tags = HTMLTags(text)
    while tags.next() {
      guard tags.isNamed("base"), let value = tags.value(of: "href") else { continue }
      return URLBase(value.span, within: outer)
    }
    return nil
  }

  /// Appends `html` with its addresses resolved against its own base, else against `outer`.
  ///
  /// - Returns: False if no base exists, or if the result has more than `limit` bytes.
  static func append(
    _ html: Span<UInt8>, resolvingAgainst outer: URLBase?, to result: inout [UInt8], upTo limit: Int
  ) -> Bool {
    guard let base = base(in: html, around: outer) ?? outer else { return false }
    var text: [UInt8] = []
    text.append(html)
    var tags = HTMLTags(text)
    var copied = 0
    while tags.next() {
      for attribute in tags.attributes {
        let kind = kind(of: html.extracting(attribute.name))
        guard kind != .text, !attribute.value.isEmpty else { continue }
        result.append(html.extracting(copied..<attribute.value.lowerBound))
        copied = attribute.value.upperBound
        let value = html.extracting(attribute.value)
        if kind == .list {
          append(list: value, base, to: &result)
        } else {
          append(escaped: value, base, to: &result)
        }
      }
      if result.count > limit { return false }
    }
    result.append(html.extracting(copied...))
    return result.count <= limit
  }

  private static func isFragment(_ address: Span<UInt8>) -> Bool {
    address.count > 0 && address[0] == UInt8(ascii: "#")
  }

  /// Appends one address; an absolute address and a fragment are not changed.
  static func append(address value: Span<UInt8>, _ base: URLBase, to result: inout [UInt8]) {
    let address = value.extracting(value.trimmed)
    if isFragment(address) { return result.append(address) }
    guard address.firstIndex(of: UInt8(ascii: "\\")) != nil, URLBase.schemeEnd(address) == nil else {
      return base.append(resolving: address, to: &result)
    }
    base.append(resolving: withoutBackslashes(address).span, to: &result)
  }

  /// Returns an address in which slashes replace the backslashes in its path, as browsers read them (URL
  /// Standard, section 4.4).
  private static func withoutBackslashes(_ address: Span<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    result.append(address)
    for index in 0..<address.endOfPath where result[index] == UInt8(ascii: "\\") {
      result[index] = UInt8(ascii: "/")
    }
    return result
  }

  /// Appends one address as HTML contains it, with references.
  private static func append(escaped value: Span<UInt8>, _ base: URLBase, to result: inout [UInt8]) {
    let address = value.extracting(value.trimmed)
    guard hidesStructure(address) else { return append(address: address, base, to: &result) }
    // Line ends and tabs do not belong to the address, as in browsers (URL Standard, section 4.4).
    let plain = decoded(address, isInAttribute: true).filter { $0 >= 0x20 }
    guard URLBase.schemeEnd(plain.span) == nil, !isFragment(plain.span) else { return result.append(address) }
    var absolute: [UInt8] = []
    append(address: plain.span, base, to: &absolute)
    for index in absolute.indices { appendEscaped(absolute, at: index, to: &result) }
  }

  /// Returns whether references or control characters may hide an address's structure, as in a mail address
  /// that is protected from robots.
  private static func hidesStructure(_ address: Span<UInt8>) -> Bool {
    for index in address.indices where address[index] < 0x20 { return true }
    var start = 0
    while let index = address.firstIndex(of: UInt8(ascii: "&"), from: start) {
      start = index + 1
      // These are the references in nearly all addresses, and parameters without a reference.
      if address.hasPrefix("&amp;", at: index) { continue }
      var reference: [UInt8] = []
      let end = HTMLEntity.appendReference(in: address, at: index, isInAttribute: true, to: &reference)
      if end > index { return true }
    }
    return false
  }

  /// Returns the text with decoded references.
  static func decoded(_ text: Span<UInt8>, isInAttribute: Bool) -> [UInt8] {
    var result: [UInt8] = []
    var index = 0
    while index < text.count {
      let end =
        text[index] == 0x26
        ? HTMLEntity.appendReference(in: text, at: index, isInAttribute: isInAttribute, to: &result) : index
      if end == index { result.append(text[index]) }
      index = max(end, index + 1)
    }
    return result
  }

  /// Appends a byte from a decoded address. A C1 control is percent-encoded (URL Standard, section 1.3): as a
  /// character it would look like damage in the document.
  private static func appendEscaped(_ address: [UInt8], at index: Int, to result: inout [UInt8]) {
    let byte = address[index]
    switch byte {
    case 0x22: result.append(contentsOf: "&quot;".utf8)
    case 0x26: result.append(contentsOf: "&amp;".utf8)
    case 0x27: result.append(contentsOf: "&#39;".utf8)
    case 0x3C: result.append(contentsOf: "&lt;".utf8)
    case 0xC2 where index + 1 < address.count && address[index + 1] < 0xA0:
      result.appendPercentEncoded(byte)
    case 0x80..<0xA0 where index > 0 && address[index - 1] == 0xC2: result.appendPercentEncoded(byte)
    default: result.append(byte)
    }
  }

  /// Appends a list of addresses, each with a description after a space (`srcset`).
  static func append(list value: Span<UInt8>, _ base: URLBase, to result: inout [UInt8]) {
    var index = 0
    while index < value.count {
      while index < value.count, value[index].isXMLSpace || value[index] == UInt8(ascii: ",") {
        result.append(value[index])
        index += 1
      }
      let start = index
      while index < value.count, !value[index].isXMLSpace { index += 1 }
      var end = index
      while end > start, value[end - 1] == UInt8(ascii: ",") { end -= 1 }
      if end > start { base.append(resolving: value.extracting(start..<end), to: &result) }
      result.append(value.extracting(end..<index))
      // A comma after the address ends its candidate (HTML Standard, section 4.8.4.3).
      if end < index { continue }
      while index < value.count, value[index] != UInt8(ascii: ",") {
        result.append(value[index])
        index += 1
      }
    }
  }
}
