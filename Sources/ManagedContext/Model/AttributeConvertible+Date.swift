public import struct Foundation.Date

/// A date is kept exactly unless its attribute is declared with ``DateForm/secondsSince1970``.
extension Date: AttributeConvertible {
  @inlinable public static var attributeType: AttributeType { .date }
  /// 1970-01-01 00:00 UTC.
  @inlinable public static var placeholder: Date { Date(timeIntervalSince1970: 0) }

  /// Reads both forms of dates.
  @inlinable public init?(attributeValue stored: AttributeValue) {
    if case .date(let seconds) = stored {
      self.init(timeIntervalSinceReferenceDate: seconds)
    } else if let seconds = Double(attributeValue: stored) {
      self.init(timeIntervalSince1970: seconds)
    } else {
      return nil
    }
  }

  @inlinable public var attributeValue: AttributeValue { .date(timeIntervalSinceReferenceDate) }
}

/// An attribute that holds a date: `Date` and `Date?`.
public protocol DateAttribute: AttributeConvertible {}
extension Date: DateAttribute {}
extension Optional: DateAttribute where Wrapped: DateAttribute {}

/// The form in which an attribute's dates are stored.
public enum DateForm: Sendable {
  /// ``AttributeType/date``, the default.
  case exact
  /// ``AttributeType/secondsSince1970``.
  case secondsSince1970

  var type: AttributeType { self == .exact ? .date : .secondsSince1970 }
}

extension AttributeValue {
  /// The seconds between 1970 and 2001, where the two forms of dates begin.
  static let secondsFrom1970To2001 = Date.timeIntervalBetween1970AndReferenceDate

  /// Returns a date as an attribute with the form ``DateForm/secondsSince1970`` holds it; null for nil.
  public static func secondsSince1970(_ date: Date?) -> AttributeValue {
    guard let seconds = date?.timeIntervalSince1970 else { return .null }
    return Int64(exactly: seconds).map { .integer($0) } ?? .real(seconds)
  }

  /// Returns the value as an attribute with a type holds it: a date has two forms.
  func stored(as type: AttributeType) -> AttributeValue {
    guard case .date(let seconds) = self, type == .secondsSince1970 else { return self }
    return .secondsSince1970(Date(timeIntervalSinceReferenceDate: seconds))
  }
}
