extension ItemExtensions {
  /// A place on Earth, WGS84.
  public struct Location: Sendable, Equatable {
    /// In degrees, north is positive.
    public var latitude: Double
    /// In degrees, east is positive.
    public var longitude: Double

    /// Nil for what is nowhere on Earth.
    init?(_ latitude: Double?, _ longitude: Double?) {
      guard let latitude, let longitude, abs(latitude) <= 90, abs(longitude) <= 360 else { return nil }
      (self.latitude, self.longitude) = (latitude, longitude)
    }

    /// The place that a `geo:` address tells (RFC 5870), of which the altitude and the parameters are dropped; nil for
    /// none.
    init?(geo address: String) {
      let numbers = address.drop { $0 != ":" }.dropFirst().prefix { $0 != ";" }.split(separator: ",")
      guard address.prefix(4).lowercased() == "geo:", numbers.count >= 2 else { return nil }
      self.init(Quantity.decimal(String(numbers[0])), Quantity.decimal(String(numbers[1])))
    }

    /// The places that a text tells in pairs of numbers; nil when a number is none, or left over.
    static func list(_ text: String?) -> [Location]? {
      let numbers = text?.split { $0.isWhitespace || $0 == "," || $0 == ";" } ?? []
      guard !numbers.isEmpty, numbers.count.isMultiple(of: 2) else { return nil }
      var places: [Location] = []
      places.reserveCapacity(numbers.count / 2)
      for index in stride(from: 0, to: numbers.count, by: 2) {
        let pair = (Quantity.decimal(String(numbers[index])), Quantity.decimal(String(numbers[index + 1])))
        guard let place = Location(pair.0, pair.1) else { return nil }
        places.append(place)
      }
      return places
    }
  }

  /// A line or an area on Earth: GeoRSS, GML.
  public struct Shape: Sendable, Equatable {
    /// The kinds of shapes.
    public enum Kind: String, Sendable {
      /// From each point to the next.
      case line
      /// A line that ends where it began.
      case polygon
      /// Between the south-west and the north-east corner.
      case box
      /// Around a point.
      case circle
    }

    /// What the points make.
    public var kind: Kind
    /// The points.
    public var points: [Location]
    /// In meters; nil for what is no circle.
    public var radius: Double?

    /// Nil when there are too few points, or too many, for the shape.
    init?(_ kind: Kind, _ points: [Location]?, radius: Double? = nil) {
      guard let points else { return nil }
      switch kind {
      case .line where points.count >= 2, .polygon where points.count >= 4, .box where points.count == 2:
        break
      case .circle where points.count == 1 && radius ?? -1 >= 0: break
      default: return nil
      }
      (self.kind, self.points, self.radius) = (kind, points, radius)
    }

    /// A point and a radius.
    init?(circle text: String?) {
      let numbers = text?.split { $0.isWhitespace || $0 == "," || $0 == ";" } ?? []
      guard numbers.count == 3 else { return nil }
      let center = Location(Quantity.decimal(String(numbers[0])), Quantity.decimal(String(numbers[1])))
      self.init(.circle, center.map { [$0] }, radius: Quantity.decimal(String(numbers[2])))
    }

    /// The positions of GML: a polygon when the line ends where it began.
    init?(positions text: String?) {
      let points = Location.list(text)
      let isClosed = points.map { $0.count >= 4 && $0.first == $0.last } ?? false
      self.init(isClosed ? .polygon : .line, points)
    }
  }
}
