internal import Markup

/// Attribute values.
extension TextBuffer {
  /// Returns the index of an attribute without a namespace; nil if it is missing.
  private mutating func index(of local: LocalName, in attributes: XMLAttributes) -> Int? {
    for index in 0..<attributes.count {
      if let name = attributes.name(at: index), names.meaning(of: name) == ElementName(.rss, local) {
        return index
      }
    }
    return nil
  }

  /// Appends the value from an attribute without a namespace; returns false if it is missing.
  mutating func append(_ local: LocalName, of attributes: XMLAttributes) -> Bool {
    guard let index = index(of: local, in: attributes) else { return false }
    attributes.appendValue(at: index, to: &bytes)
    if isInItem { checkItem() }
    return true
  }

  /// Returns an attribute's value as a slice in the item's texts; nil if it is missing or empty.
  mutating func slice(_ local: LocalName, of attributes: XMLAttributes) -> ByteSlice? {
    let start = bytes.count
    guard append(local, of: attributes) else { return nil }
    return trimmedSlice(from: start)
  }

  /// Passes an attribute's value, without surrounding white space, to `body` and returns the result; nil if
  /// it is missing or blank.
  mutating func value<Result>(
    _ local: LocalName, of attributes: XMLAttributes, _ body: (Span<UInt8>) -> Result?
  ) -> Result? {
    guard let index = index(of: local, in: attributes) else { return nil }
    return attributes.withValue(at: index) { value in
      let text = value.extracting(value.trimmed)
      return text.isEmpty ? nil : body(text)
    }
  }

  /// Returns an attribute that becomes a list entry; nil if it is too long.
  mutating func entry(_ local: LocalName, of attributes: XMLAttributes) -> String? {
    value(local, of: attributes) { $0.count <= Self.longestEntry ? $0.text : nil }
  }

  /// Resolves an attribute's value as an address and returns its slice; nil if it is missing, blank or
  /// removed.
  mutating func addressSlice(
    _ local: LocalName, of attributes: XMLAttributes, isReference: Bool = false, isPicture: Bool = false
  ) -> ByteSlice? {
    let start = bytes.count
    guard append(local, of: attributes) else { return nil }
    return addressSlice(from: start, isReference: isReference, isPicture: isPicture)
  }

  /// Returns an attribute's value as a resolved address.
  mutating func address(_ local: LocalName, of attributes: XMLAttributes) -> String? {
    let start = bytes.count
    guard append(local, of: attributes) else { return nil }
    resolveAddress(from: start, isReference: true)
    return takeText(from: start)
  }

  /// Returns the address in `rdf:resource`.
  mutating func resource(_ attributes: XMLAttributes) -> String? {
    for index in 0..<attributes.count {
      guard let name = attributes.name(at: index), names.meaning(of: name).local == .resource else {
        continue
      }
      let start = bytes.count
      attributes.appendValue(at: index, to: &bytes)
      resolveAddress(from: start)
      return takeText(from: start)
    }
    return nil
  }

  // MARK: Types

  /// Returns whether an attribute's value begins with a text.
  mutating func hasValue(_ text: StaticString, _ local: LocalName, _ attributes: XMLAttributes) -> Bool {
    value(local, of: attributes) { $0.hasPrefix(text) } ?? false
  }

  /// Returns the kind of an Atom text according to its `type` and `mode`.
  mutating func kind(of attributes: XMLAttributes, otherwise: Capture.Kind) -> Capture.Kind {
    guard attributes.count > 0 else { return otherwise }
    let start = bytes.count
    defer { bytes.removeSubrange(start...) }
    let hasType = append(.type, of: attributes)
    let typeEnd = bytes.count
    let hasMode = append(.mode, of: attributes)
    let type = bytes.span.extracting(start..<typeEnd)
    let mode = bytes.span.extracting(typeEnd...)
    let isHTML = type.equalsIgnoringCase("html") || type.hasPrefixIgnoringCase("text/html")
    let isXML =
      type.equalsIgnoringCase("xhtml") || type.hasPrefixIgnoringCase("application/xhtml")
      || (type.count > 3 && type.hasPrefixIgnoringCase("xml", at: type.count - 3))
    if hasType, !isXML, Self.isMedia(type) { return .binary }
    if hasMode, mode.equalsIgnoringCase("base64") { return isHTML || isXML ? .base64HTML : .base64Text }
    if hasMode, mode.equalsIgnoringCase("escaped") { return hasType && !isHTML && !isXML ? .text : .html }
    if !hasType { return otherwise }
    if isHTML { return hasMode && mode.equalsIgnoringCase("xml") ? .xhtml : .html }
    if isXML { return .xhtml }
    if type.equalsIgnoringCase("text") || type.hasPrefixIgnoringCase("text/") { return .text }
    if type.hasPrefixIgnoringCase("multipart/") { return .alternatives }
    return type.firstIndex(of: UInt8(ascii: "/")) == nil ? otherwise : .base64Text
  }

  /// Returns whether a media type is an image, a sound or a film.
  private static func isMedia(_ type: Span<UInt8>) -> Bool {
    type.hasPrefixIgnoringCase("image/") || type.hasPrefixIgnoringCase("audio/")
      || type.hasPrefixIgnoringCase("video/")
  }

  /// Returns whether the type is neither text nor a page.
  mutating func isOfFile(_ attributes: XMLAttributes) -> Bool {
    value(.type, of: attributes) { type in
      if Self.isMedia(type) { return true }
      return type.firstIndex(of: UInt8(ascii: "/")) != nil && !type.hasPrefixIgnoringCase("text/")
        && !type.containsIgnoringCase("html") && !type.containsIgnoringCase("xml")
    } ?? false
  }

  /// Returns whether `media:content` is an image, judged by its medium, its type, or the end of its address.
  mutating func isImage(_ attributes: XMLAttributes) -> Bool {
    if let isImage = value(.medium, of: attributes, { $0.equalsIgnoringCase("image") }) { return isImage }
    if let isImage = value(.type, of: attributes, { $0.hasPrefixIgnoringCase("image/") }) { return isImage }
    let names: [StaticString] = [".jpg", ".jpeg", ".png", ".gif", ".webp", ".avif"]
    return value(.url, of: attributes) { url in
      let end = url.firstIndex(of: UInt8(ascii: "#")) ?? url.count
      let path = url.extracting(..<(url.extracting(..<end).firstIndex(of: UInt8(ascii: "?")) ?? end))
      return names.contains { path.hasPrefixIgnoringCase($0, at: path.count - $0.utf8CodeUnitCount) }
    } ?? false
  }

  /// Returns the relation of the link with these attributes; `alternate` if they do not state it.
  mutating func relation(of attributes: XMLAttributes) -> LinkRelation {
    value(.rel, of: attributes) { LinkRelation($0) } ?? .alternate
  }

  /// Returns whether the link with these attributes leads to a page for browsers; true if they do not state
  /// it.
  mutating func isOfPage(_ attributes: XMLAttributes) -> Bool {
    value(.type, of: attributes) { $0.containsIgnoringCase("html") } ?? true
  }
}

/// The relation between a `link` and its target: `rel` (RFC 4287, section 4.2.7.2), which may be written as
/// an address.
enum LinkRelation: Equatable {
  case alternate, enclosure, related, selfLink, hub, image, replies, license, edit, other
  /// The feed's next part (RFC 5005).
  case next

  init(_ text: Span<UInt8>) {
    let name = text.extracting((text.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0)...)
    let known = Self.names.first { name.equalsIgnoringCase($0.0) }
    self = name.isEmpty ? .alternate : known?.1 ?? .other
  }

  private static let names: [(StaticString, LinkRelation)] = [
    ("alternate", .alternate), ("enclosure", .enclosure), ("related", .related), ("self", .selfLink),
    ("hub", .hub), ("image", .image), ("replies", .replies), ("license", .license), ("edit", .edit),
    ("edit-media", .edit), ("next", .next),
  ]
}
