/// A place on Earth, WGS84.
struct Location: Equatable {
  /// The degrees north of the equator.
  let latitude: Double
  /// The degrees east of Greenwich.
  let longitude: Double

  /// Returns nil for coordinates that are not on Earth.
  init?(_ latitude: Double?, _ longitude: Double?) {
    guard let latitude, let longitude, abs(latitude) <= 90, abs(longitude) <= 360 else { return nil }
    (self.latitude, self.longitude) = (latitude, longitude)
  }

  /// Reads the first two numbers in a text.
  init?(point text: String?) {
    let numbers = Self.numbers(text)
    guard numbers.count >= 2 else { return nil }
    self.init(numbers[0], numbers[1])
  }

  /// Reads a `geo:` address (RFC 5870); drops its altitude and parameters.
  init?(geo address: String) {
    let numbers = address.drop { $0 != ":" }.dropFirst().prefix { $0 != ";" }.split(separator: ",")
    guard address.prefix(4).lowercased() == "geo:", numbers.count >= 2 else { return nil }
    self.init(Quantity.decimal(String(numbers[0])), Quantity.decimal(String(numbers[1])))
  }

  /// Reads pairs of numbers; returns nil if a pair is not a place, or a number is left over.
  static func list(_ text: String?) -> [Location]? {
    let numbers = numbers(text)
    guard !numbers.isEmpty, numbers.count.isMultiple(of: 2) else { return nil }
    let places = stride(from: 0, to: numbers.count, by: 2).lazy.map { Location(numbers[$0], numbers[$0 + 1]) }
    return places.contains(nil) ? nil : places.compactMap(\.self)
  }

  /// Splits a text at white space, commas and semicolons. Parts that are not numbers become nil.
  static func numbers(_ text: String?) -> [Double?] {
    (text ?? "").split { $0.isWhitespace || $0 == "," || $0 == ";" }.map { Quantity.decimal(String($0)) }
  }
}

/// A line or an area on Earth: GeoRSS, GML.
struct Shape {
  enum Kind: String {
    /// A line from each point to the next.
    case line
    /// An area: its border is a line that ends at its first point.
    case polygon
    /// An area between its south-west and its north-east corner.
    case box
    /// An area around a point.
    case circle
  }

  let kind: Kind
  let points: [Location]
  /// A circle's radius in meters; nil for other shapes.
  let radius: Double?

  /// Returns nil if the point count does not fit the kind.
  init?(_ kind: Kind, _ points: [Location]?, radius: Double? = nil) {
    guard let points else { return nil }
    switch kind {
    case .line where points.count >= 2, .polygon where points.count >= 4, .box where points.count == 2: break
    case .circle where points.count == 1 && radius ?? -1 >= 0: break
    default: return nil
    }
    (self.kind, self.points, self.radius) = (kind, points, radius)
  }

  /// Reads a point and a radius.
  init?(circle text: String?) {
    let numbers = Location.numbers(text)
    guard numbers.count == 3 else { return nil }
    self.init(.circle, Location(numbers[0], numbers[1]).map { [$0] }, radius: numbers[2])
  }

  /// Reads GML positions: a polygon if the line ends at its first point.
  init?(positions text: String?) {
    let points = Location.list(text)
    let isClosed = points.map { $0.count >= 4 && $0.first == $0.last } ?? false
    self.init(isClosed ? .polygon : .line, points)
  }
}
