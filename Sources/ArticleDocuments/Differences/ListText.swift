import Foundation
import TextOutput
import WebAddress

/// An article's lists and members as lines for people.
package enum ListText {
  /// Returns a JSON array's elements, such as "Ann  ann@example.org"; none for an empty text, nil for
  /// another.
  static func elements(of json: String) -> [String]? {
    if json.isEmpty { return [] }
    let elements = StoredList.elements(Array(json.utf8).span)
    guard !elements.isEmpty || json == "[]" else { return nil }
    var texts: [String] = []
    for element in elements {
      switch element {
      case .text(let text): texts.append(text)
      case .object(let object): texts.append(text(of: object))
      case .other: return nil
      }
    }
    return texts
  }

  /// The fields of authors and attachments, in the order in which people read them.
  private static let fields = [
    "name", "title", "url", "email", "avatar", "mime_type", "size_in_bytes", "duration_in_seconds",
  ]

  private static func text(of object: [String: StoredList.Value]) -> String {
    let names = fields.filter { object[$0] != nil } + object.keys.filter { !fields.contains($0) }.sorted()
    return names.compactMap { name in
      switch (name, object[name]) {
      case ("size_in_bytes", let size?) where size.integer != nil: "\(grouped(size.integer ?? 0)) bytes"
      case ("duration_in_seconds", let time?) where time.real != nil: clock(time.real ?? 0)
      case (_, .text(let text)?): WebAddress.withoutPassword(text)
      case (_, .integer(let number)?): "\(name) \(number)"
      case (_, .real(let number)?): "\(name) \(number)"
      default: nil
      }
    }.joined(separator: "  ")
  }

  /// Returns a duration as hours, minutes and seconds.
  package static func clock(_ seconds: Double) -> String {
    let whole = Int(max(0, min(seconds, 1e9)))
    let (hours, minutes) = (whole / 3600, whole / 60 % 60)
    let rest = String(100 + whole % 60).dropFirst()
    return hours > 0 ? "\(hours):\(String(100 + minutes).dropFirst()):\(rest)" : "\(minutes):\(rest)"
  }

  /// Returns a JSON object's members, by name, such as "season  2". None for an empty text, nil for another.
  static func members(of json: String) -> [String]? {
    if json.isEmpty { return [] }
    return pairs(of: json)?.map { "\($0.name)  \($0.text)" }
  }

  /// Returns a JSON object's members, ordered by name; nil for another text.
  package static func pairs(of json: String) -> [(name: String, text: String)]? {
    guard let members = (try? JSONSerialization.jsonObject(with: Data(json.utf8))) as? [String: Any] else {
      return nil
    }
    return members.sorted { $0.key < $1.key }.map { ($0.key, text(of: $0.value)) }
  }

  /// Returns a JSON value for people: an object's members with their names, such as "name Ann, role guest",
  /// and semicolons between the objects in a list.
  private static func text(of value: Any) -> String {
    switch value {
    case let text as String: WebAddress.withoutPassword(text)
    case let list as [Any]:
      list.map(text).joined(separator: list.contains { $0 is [Any] || $0 is [String: Any] } ? "; " : ", ")
    case let object as [String: Any]:
      object.sorted { $0.key < $1.key }.map { "\($0.key) \(text(of: $0.value))" }.joined(separator: ", ")
    default:
      // Numbers, true, false and null.
      (try? JSONSerialization.data(withJSONObject: value, options: .fragmentsAllowed))
        .map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
  }
}
