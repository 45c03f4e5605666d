internal import Markup

/// Places: GeoRSS Simple and GML, W3C Basic Geo, ICBM.
extension FeedBuilder {
  mutating func startGeography(_ meaning: ElementName, _ attributes: XMLAttributes) -> Role {
    switch (meaning.vocabulary, meaning.local) {
    case (.geoRSS, .point), (.geo, .pos): startExtension(.point, .plain, attributes)
    case (.geo, .lat), (.geo, .latitude): startExtension(.latitude, .plain, attributes)
    case (.geo, .long), (.geo, .lon), (.geo, .longitude): startExtension(.longitude, .plain, attributes)
    case (.geoRSS, .line): startExtension(.line, .plain, attributes)
    case (.geoRSS, .polygon): startExtension(.polygon, .plain, attributes)
    case (.geoRSS, .box): startExtension(.box, .plain, attributes)
    case (.geoRSS, .circle): startExtension(.circle, .plain, attributes)
    case (.geo, .posList): startExtension(.positions, .plain, attributes)
    case (.geo, .lowerCorner): startExtension(.lowerCorner, .plain, attributes)
    case (.geo, .upperCorner): startExtension(.upperCorner, .plain, attributes)
    // These only hold others.
    case (.geo, .point), (.geoRSS, .place), (.geo, .lineString), (.geo, .polygon), (.geo, .exterior),
      (.geo, .linearRing), (.geo, .envelope):
      .holder
    default: .skipped
    }
  }
}
