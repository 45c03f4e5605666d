internal import Markup

/// The possible uses of an address in a feed.
enum AddressKind {
  /// A place, resolved against the base.
  case relative
  case absolute
  /// A script, or the reader's own files.
  case harmful

  /// - Parameter isPicture: True if the address itself may contain an image (RFC 2397).
  init(_ address: Span<UInt8>, isPicture: Bool) {
    guard let end = URLBase.schemeEnd(address) else {
      self = .relative
      return
    }
    let scheme = address.extracting(..<end)
    if scheme.equalsIgnoringCase("data") {
      self = isPicture && address.hasPrefixIgnoringCase("data:image/") ? .absolute : .harmful
    } else {
      let isHarmful =
        scheme.equalsIgnoringCase("javascript") || scheme.equalsIgnoringCase("vbscript")
        || scheme.equalsIgnoringCase("file")
      self = isHarmful ? .harmful : .absolute
    }
  }
}

extension TextBuffer {
  /// Returns the base in the bytes from `start` on, resolved against the base around it; nil if it is too
  /// long.
  func base(from start: Int) -> URLBase? { URLBase(bytes.span.extracting(start...), within: bases.last) }

  /// Resolves the address from `start` on against the base. Removes an address that must not be followed. An
  /// empty reference (`isReference`) is the base itself.
  mutating func resolveAddress(from start: Int, isReference: Bool = false, isPicture: Bool = false) {
    guard trimmedSlice(from: start) != nil || isReference else { return }
    repairAddress(from: start)
    switch AddressKind(bytes.span.extracting(start...), isPicture: isPicture) {
    case .absolute: break
    case .harmful: bytes.removeSubrange(start...)
    case .relative:
      guard let base = baseOfAddresses else { return }
      rewrite(from: start) { address, resolved in
        base.append(resolving: address, to: &resolved)
        return true
      }
    }
  }

  /// Resolves the address like ``resolveAddress(from:isReference:isPicture:)``, and returns its slice; nil if
  /// it is blank or removed.
  mutating func addressSlice(
    from start: Int, isReference: Bool = false, isPicture: Bool = false
  ) -> ByteSlice? {
    resolveAddress(from: start, isReference: isReference, isPicture: isPicture)
    return trimmedSlice(from: start)
  }

  /// Cleans the address from `start` on.
  ///
  /// It removes line ends and tabs, which browsers ignore (URL Standard, section 4.4) and which could hide a
  /// scheme. It also decodes ampersands that were escaped twice.
  private mutating func repairAddress(from start: Int) {
    guard Self.needsRepair(bytes.span.extracting(start...)) else { return }
    rewrite(from: start) { text, address in
      var index = 0
      while index < text.count {
        let byte = text[index]
        let isBreak = byte < 0x20 || (byte == 0x20 && address.isEmpty)
        if !isBreak { address.append(byte) }
        index = byte == UInt8(ascii: "&") ? Self.endOfAmpersand(text, at: index) : index + 1
      }
      return true
    }
  }

  private static func needsRepair(_ address: Span<UInt8>) -> Bool {
    if address.isEmpty { return false }
    return address[0].isXMLSpace || address.firstIndex(of: 0x0A) != nil || address.firstIndex(of: 0x09) != nil
      || address.firstIndex(of: UInt8(ascii: "&")) != nil
  }

  /// Returns the offset after the ampersand at `index`, which may be written as a reference.
  private static func endOfAmpersand(_ text: Span<UInt8>, at index: Int) -> Int {
    let reference = HTMLEntity.decode(text, at: index)
    return reference.scalar == 0x26 ? reference.end : index + 1
  }

  // MARK: HTML

  /// Returns whether the HTML from `start` on may contain a relative address.
  func mayBeRelative(from start: Int) -> Bool {
    HTMLAddresses.mayBeRelative(bytes.span.extracting(start...))
  }

  /// Resolves the addresses in the HTML from `start` on. If it would become too long, it stays.
  mutating func resolveAddressesInHTML(from start: Int, against base: URLBase?) {
    guard mayBeRelative(from: start) else { return }
    let limit = 4 * limits.fieldBytes
    rewrite(from: start) { text, resolved in
      HTMLAddresses.append(text, resolvingAgainst: base, to: &resolved, upTo: limit)
    }
  }

  /// Returns a copy of HTML in the item, with resolved addresses.
  mutating func resolvingAddresses(in html: ByteSlice, against base: URLBase?) -> ByteSlice {
    let start = bytes.count
    bytes.append(contentsOf: bytes[range(html)])
    resolveAddressesInHTML(from: start, against: base)
    return slice(start..<bytes.count)
  }

  /// Appends an attribute in markup, with its address resolved if an element around it states a base.
  mutating func appendMarkup(_ attributes: XMLAttributes, at index: Int) {
    guard let name = attributes.name(at: index) else { return }
    let meaning = names.meaning(of: name)
    if meaning.vocabulary == .xml {
      if meaning.local == .lang { appendLanguage(of: attributes, at: index) }
      return
    }
    bytes.append(0x20)
    if name.hasPrefix {
      name.withPrefixBytes { bytes.append($0) }
      bytes.append(UInt8(ascii: ":"))
    }
    name.withLocalBytes { bytes.append($0) }
    bytes.append(contentsOf: [UInt8(ascii: "="), 0x22])
    let start = bytes.count
    attributes.appendValue(at: index, to: &bytes)
    let kind = name.withLocalBytes { HTMLAddresses.kind(of: $0) }
    if kind != .text, hasStatedBase, let base = bases.last {
      rewrite(from: start) { value, resolved in
        if kind == .list {
          HTMLAddresses.append(list: value, base, to: &resolved)
        } else {
          HTMLAddresses.append(address: value, base, to: &resolved)
        }
        return true
      }
    }
    escape(from: start, isValue: true)
    bytes.append(0x22)
  }

  /// Appends an element's language as HTML states it, unless the element has both attributes.
  private mutating func appendLanguage(of attributes: XMLAttributes, at index: Int) {
    for other in 0..<attributes.count {
      guard let name = attributes.name(at: other), !name.hasPrefix else { continue }
      if name.withLocalBytes({ $0.equalsIgnoringCase("lang") }) { return }
    }
    bytes.append(contentsOf: " lang=\"".utf8)
    let start = bytes.count
    attributes.appendValue(at: index, to: &bytes)
    escape(from: start, isValue: true)
    bytes.append(0x22)
  }

  /// Appends an end tag, except for HTML's void elements.
  mutating func appendEndTag(_ name: XMLName) {
    name.withLocalBytes { local in
      guard !HTMLTag.isVoid(local) else { return }
      bytes.append(contentsOf: [UInt8(ascii: "<"), UInt8(ascii: "/")])
      bytes.append(local)
      bytes.append(UInt8(ascii: ">"))
    }
  }
}
