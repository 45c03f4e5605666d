internal import Markup

/// Media RSS in items.
extension FeedBuilder {
  mutating func startInMedia(_ meaning: ElementName, _ attributes: XMLAttributes) -> Role {
    guard isInItem else { return .skipped }
    return meaning.vocabulary == .media ? startMedia(meaning, attributes) : startModule(meaning, attributes)
  }

  mutating func startMedia(_ meaning: ElementName, _ attributes: XMLAttributes) -> Role {
    switch meaning.local {
    case .group: return .media
    case .content:
      if isImage(attributes) { takeImage(.url, attributes, rank: 2) }
      _ = startExtension(.media, nil, attributes)
      return .media
    case .thumbnail:
      takeImage(.url, attributes, rank: 0)
      return attributes.count == 0 ? startImageText(rank: 0) : startExtension(.thumbnail, nil, attributes)
    case .title: return item.title.wants(2) ? startCapture(.title, .html, rank: 2) : .skipped
    case .description: return startBody(.description, kind(of: attributes, otherwise: .text), rank: 5)
    case .category: return startCategory(meaning, attributes)
    case .keywords: return startCapture(.keywords, .plain)
    case .credit: return startExtension(.credit, .html, attributes)
    case .rating: return startExtension(.rating, .plain, attributes)
    case .player: return startExtension(.player, nil, attributes)
    case .copyright: return startExtension(.rights, .html, attributes)
    case .license: return startExtension(.license, .plain, attributes)
    case .location: return .holder
    case .community: return .media
    case .starRating, .statistics: return startExtension(.community, nil, attributes)
    case .tags: return startExtension(.community, .html, attributes)
    case .hash: return startExtension(.mediaHash, .plain, attributes)
    case .embed: return startExtension(.embed, nil, attributes)
    default: return .skipped
    }
  }

  /// Whether `media:content` is a picture: by its medium, its type, or the end of its address.
  private mutating func isImage(_ attributes: XMLAttributes) -> Bool {
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
