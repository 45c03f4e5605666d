import Foundation
import TextOutput

extension AttributeValue {
  /// Returns the value as text for people and other programs; empty for null.
  ///
  /// Dates are ISO 8601, bytes are base64, and a reference is the other object's key.
  func text(as type: AttributeType) -> String {
    switch self {
    case .null, .reference(.none): ""
    case .integer(let number):
      switch type {
      case .boolean: number == 0 ? "false" : "true"
      case .secondsSince1970: ISODate.text(number)
      default: "\(number)"
      }
    case .real(let number): type == .secondsSince1970 ? ISODate.text(number) ?? "" : "\(number)"
    case .date(let seconds): ISODate.text(seconds + Self.secondsFrom1970To2001) ?? ""
    case .text(let text): text
    case .bytes(let bytes): Data(bytes).base64EncodedString()
    case .reference(let id): "\(id.key)"
    }
  }
}
