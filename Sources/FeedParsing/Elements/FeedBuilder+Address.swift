internal import Markup

/// The use of an address in a feed.
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

extension FeedBuilder {
  /// Resolves the address from `start` on against the base, and removes an address that must not be followed. An empty
  /// reference (`isReference`) is the base itself.
  mutating func resolveAddress(from start: Int, isReference: Bool = false, isPicture: Bool = false) {
    guard trimmedSlice(from: start) != nil || isReference else { return }
    repair(from: start)
    switch AddressKind(batch.bytes.span.extracting(start...), isPicture: isPicture) {
    case .absolute: break
    case .harmful: batch.bytes.removeSubrange(start...)
    case .relative:
      guard let base = bases.last else { return }
      var resolved = takeScratch()
      base.append(resolving: batch.bytes.span.extracting(start...), to: &resolved)
      replace(from: start, with: resolved)
    }
  }

  /// Cleans the address from `start` on. It removes line ends and tabs, which browsers ignore (URL Standard, section
  /// 4.4) and which could hide a scheme, and decodes ampersands that were escaped twice.
  private mutating func repair(from start: Int) {
    guard Self.needsRepair(batch.bytes.span.extracting(start...)) else { return }
    var address = takeScratch()
    var index = start
    while index < batch.bytes.count {
      let byte = batch.bytes[index]
      let isBreak = byte < 0x20 || (byte == 0x20 && address.isEmpty)
      if !isBreak { address.append(byte) }
      index =
        byte == UInt8(ascii: "&") ? Self.endOfAmpersand(batch.bytes.span, at: index) : index + 1
    }
    replace(from: start, with: address)
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
}
