internal import Markup

/// Media RSS in items.
extension FeedBuilder {
  mutating func startInMedia(_ meaning: ElementName, _ attributes: XMLAttributes) -> Role {
    guard isInItem else { return .skipped }
    return meaning.vocabulary == .media
      ? apply(rule(.item, meaning), meaning, attributes) : startModule(meaning, attributes)
  }

  /// Returns whether `media:content` is an image, by its medium, its type, or the end of its address.
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
}
