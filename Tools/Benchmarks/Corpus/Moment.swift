import TextOutput

/// A time in UTC, in the formats of feeds and HTTP.
public struct Moment: Sendable {
  /// Seconds since 1970.
  public var seconds: Int

  public init(seconds: Int) {
    self.seconds = seconds
  }

  /// The time in the format `2024-05-01T08:00:00Z` (RFC 3339).
  var internet: String { ISODate.text(Int64(seconds)) }

  /// The time in the format `Wed, 01 May 2024 08:00:00 GMT` (RFC 5322, and RFC 9110, section 5.6.7).
  public var mail: String { CivilDate(secondsSince1970: Int64(seconds)).mail }
}
