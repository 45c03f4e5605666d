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
      case .date: ISODate.text(number)
      default: "\(number)"
      }
    case .real(let number): type == .date ? ISODate.text(number) ?? "" : "\(number)"
    case .text(let text): text
    case .bytes(let bytes): Data(bytes).base64EncodedString()
    case .reference(let id): "\(id.key)"
    }
  }
}
