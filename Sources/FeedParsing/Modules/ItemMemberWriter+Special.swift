import TextOutput

/// The members with their own rules.
extension ItemMemberWriter {
  func write(_ special: ItemMember.Special, _ name: StaticString, to json: inout JSONText) {
    switch special {
    case .summaryType: json.field(name, "text/html")
    case .isPermaLink: json.flag(name, item.idIsPermaLink)
    case .commentPage: json.field(name, commentPage, of: batch)
    case .commentFeed: json.field(name, discussion(.commentFeed, isPage: false), of: batch)
    case .commentCount: json.field(name, commentCount)
    case .location: writeLocation(name, to: &json)
    }
  }

  /// The comment page's address.
  var commentPage: ByteSlice? {
    sources.isDisjoint(with: ItemSources(.comments, .replies)) ? nil : discussion(.comments, isPage: true)
  }

  /// Returns the address in the last element of this kind. Otherwise returns the first link to replies that
  /// is a page (`isPage`) or is not.
  private func discussion(_ kind: ParsedExtension.Kind, isPage: Bool) -> ByteSlice? {
    for element in elements.reversed() where element.kind == kind {
      if let url = slice(.url, in: element) { return url }
    }
    for element in elements where element.kind == .replies {
      let type = batch.string(slice(.type, in: element))?.lowercased()
      guard type?.contains("html") == true ? isPage : !isPage else { continue }
      if let url = slice(.url, in: element) { return url }
    }
    return nil
  }

  private var commentCount: Int64? {
    for element in elements where element.kind == .commentCount || element.kind == .replies {
      let field: ParsedExtension.Field = element.kind == .replies ? .count : .text
      if let count = Quantity.whole(batch.string(slice(field, in: element))) { return count }
    }
    return nil
  }

  // MARK: Places

  private func writeLocation(_ name: StaticString, to json: inout JSONText) {
    guard let place = location else { return }
    json.object(name) { json in
      json.field("latitude", place.latitude)
      json.field("longitude", place.longitude)
    }
  }

  /// The first place on Earth, else the first `podcast:location` with coordinates.
  private var location: Location? {
    var (latitude, longitude): (Double?, Double?) = (nil, nil)
    for element in elements {
      let text = batch.string(slice(.text, in: element))
      switch element.kind {
      case .latitude: latitude = latitude ?? Quantity.decimal(text)
      case .longitude: longitude = longitude ?? Quantity.decimal(text)
      case .point: if let place = Location(point: text) { return place }
      default: continue
      }
      if let place = Location(latitude, longitude) { return place }
    }
    return elements.lazy.filter { $0.kind == .podcastPlace }
      .compactMap { batch.string(slice(.geo, in: $0)).flatMap(Location.init(geo:)) }.first
  }
}
