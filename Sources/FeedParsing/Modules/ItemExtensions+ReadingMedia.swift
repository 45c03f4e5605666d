/// What modules say of files and of places.
extension ItemExtensions.Reader {
  mutating func takeMedia(_ kind: ParsedExtension.Kind, _ element: ItemExtensions.Element) {
    switch kind {
    case .credit:
      guard let name = element[.text] else { return }
      result.credits.append(.init(name: name, role: element[.role], scheme: element[.scheme]))
    case .rating:
      guard result.rating == nil, let value = element[.text] else { return }
      result.rating = .init(value: value, scheme: element[.scheme])
    case .player: result.playerURL = result.playerURL ?? element[.url]
    case .bannerImage: result.bannerImage = result.bannerImage ?? element[.url]
    case .embed:
      guard result.embed == nil, let url = element[.url] else { return }
      result.embed = .init(url: url, width: element.whole(.width), height: element.whole(.height))
    case .mediaHash:
      guard let value = element[.text], let last = result.media.indices.last else { return }
      result.media[last].hashes.append(.init(algorithm: element[.algorithm], value: value))
    case .community: takeOpinion(element)
    default:
      let file = Self.file(element)
      if kind == .media {
        result.media.append(file)
      } else if file.url != nil, !result.thumbnails.contains(file) {
        result.thumbnails.append(file)
      }
    }
  }

  private static func file(_ element: ItemExtensions.Element) -> ItemExtensions.Media {
    var file = ItemExtensions.Media()
    file.url = element[.url]
    file.type = element[.type]
    file.medium = element[.medium]
    file.size = element.whole(.size)
    file.duration = Quantity.seconds(element[.duration])
    file.width = element.whole(.width)
    file.height = element.whole(.height)
    file.language = element[.language]
    file.bitrate = element.decimal(.bitrate)
    file.framerate = element.decimal(.framerate)
    file.samplingRate = element.decimal(.samplingRate)
    file.channels = element.whole(.channels)
    file.isDefault = element.flag(.isDefault)
    file.expression = element[.expression]
    return file
  }

  private mutating func takeOpinion(_ element: ItemExtensions.Element) {
    var community = result.community ?? ItemExtensions.Community()
    community.ratingAverage = community.ratingAverage ?? element.decimal(.average)
    community.ratingCount = community.ratingCount ?? element.whole(.count)
    community.ratingMinimum = community.ratingMinimum ?? element.decimal(.minimum)
    community.ratingMaximum = community.ratingMaximum ?? element.decimal(.maximum)
    community.views = community.views ?? element.whole(.views)
    community.favorites = community.favorites ?? element.whole(.favorites)
    if community.tags.isEmpty { community.tags = Self.tags(element[.text] ?? "") }
    if community != ItemExtensions.Community() { result.community = community }
  }

  /// `media:tags`: words between commas, each with its weight behind a colon.
  private static func tags(_ text: String) -> [ItemExtensions.Community.Tag] {
    text.split(separator: ",").prefix(ParserLimits.standard.listCount).compactMap { part in
      let colon = part.lastIndex(of: ":")
      let weight = colon.flatMap { Quantity.whole(String(part[part.index(after: $0)...])) }
      let word = weight == nil ? part : part[..<(colon ?? part.endIndex)]
      let tag = String(word.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
      return tag.isEmpty ? nil : .init(tag: tag, weight: weight)
    }
  }

  // MARK: Places

  mutating func takeShape(_ kind: ParsedExtension.Kind, _ element: ItemExtensions.Element) {
    typealias Location = ItemExtensions.Location
    typealias Shape = ItemExtensions.Shape
    let text = element[.text]
    let shape: Shape?
    switch kind {
    case .line: shape = Shape(.line, Location.list(text))
    case .polygon: shape = Shape(.polygon, Location.list(text))
    case .box: shape = Shape(.box, Location.list(text))
    case .circle: shape = Shape(circle: text)
    case .positions: shape = Shape(positions: text)
    case .lowerCorner:
      lowerCorner = Location.list(text)
      return
    default:
      shape = lowerCorner.flatMap { lower in Location.list(text).flatMap { Shape(.box, lower + $0) } }
      lowerCorner = nil
    }
    if let shape { result.shapes.append(shape) }
  }

  /// All elements were taken.
  mutating func finish() {
    guard result.location == nil else { return }
    result.location =
      result.places.lazy.compactMap { $0.geo.flatMap(ItemExtensions.Location.init(geo:)) }.first
  }
}
