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

  /// Splits a text at white space, commas and semicolons. Parts that are not numbers become nil.
  static func numbers(_ text: String?) -> [Double?] {
    (text ?? "").split { $0.isWhitespace || $0 == "," || $0 == ";" }.map { Quantity.decimal(String($0)) }
  }
}
