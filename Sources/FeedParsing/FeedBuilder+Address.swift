internal import XMLStream

/// What an address of a feed leads to.
enum AddressKind {
  /// A place below the base around it.
  case relative
  case absolute
  /// Something that would run a script, or the reader's own files.
  case harmful

  /// - Parameter isPicture: Whether a picture may be in the address itself (RFC 2397).
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
  /// Resolves the address that stands from `start` on against the base around this place, and removes one that
  /// must not be followed. An empty reference (`isReference`) is the base itself.
  mutating func resolveAddress(from start: Int, isReference: Bool = false, isPicture: Bool = false) {
    guard trimmedSlice(from: start) != nil || isReference else { return }
    removeBreaks(from: start)
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

  /// Removes what no address holds and every browser ignores (URL Standard, section 4.4): white space before it,
  /// line ends and tabs inside, which could hide a scheme.
  private mutating func removeBreaks(from start: Int) {
    guard Self.hasBreaks(batch.bytes.span.extracting(start...)) else { return }
    var address = takeScratch()
    for byte in batch.bytes[start...].drop(while: \.isXMLSpace) where byte != 0x0A && byte != 0x09 {
      address.append(byte)
    }
    replace(from: start, with: address)
  }

  private static func hasBreaks(_ address: Span<UInt8>) -> Bool {
    if address.isEmpty { return false }
    return address[0].isXMLSpace || address.firstIndex(of: 0x0A) != nil || address.firstIndex(of: 0x09) != nil
  }
}
