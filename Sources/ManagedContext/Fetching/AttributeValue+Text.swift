import Foundation
import TextOutput

extension AttributeValue {
  /// The value as people and other programs read it: dates as ISO 8601, bytes as base64, a reference as the other's
  /// number; empty for null.
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
