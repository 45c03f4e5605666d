/// A set of laws, which hold for all inputs.
public protocol CheckedLaw: RawRepresentable<String>, CaseIterable, Sendable {
  /// Checks the law on an input.
  ///
  /// - Returns: True if the input has the form that the law applies to.
  func check(_ input: [UInt8]) throws(Law.Violation) -> Bool
}

/// Laws that the parsers obey for all inputs. The fuzzer (`make fuzz`) and the tests check them.
public enum Law: String, CheckedLaw {
  /// Feeds in XML.
  case xml
  /// JSON Feeds.
  case json
  /// Dates.
  case dates
  /// Encodings: the first line is the Content-Type, the rest the document.
  case encodings
  /// HTML in texts: titles without markup, resolved addresses.
  case html
  /// Lists of feeds.
  case opml

  /// The description of a violated law.
  public struct Violation: Error, CustomStringConvertible {
    public let description: String

    package init(_ description: String) { self.description = description }
  }

  public func check(_ input: [UInt8]) throws(Violation) -> Bool {
    switch self {
    case .xml: try FeedLaw.check(input, isJSON: false)
    case .json: try FeedLaw.check(input, isJSON: true)
    case .dates: try DateLaw.check(input)
    case .encodings: try EncodingLaw.check(input)
    case .html: try HTMLLaw.check(input)
    case .opml: try OPMLLaw.check(input)
    }
  }
}

/// Throws unless `condition` holds.
package func expect(_ condition: Bool, _ law: @autoclosure () -> String) throws(Law.Violation) {
  if !condition { throw Law.Violation(law()) }
}
