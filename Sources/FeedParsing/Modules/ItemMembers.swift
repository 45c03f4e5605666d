import TextOutput

/// The members in an item's `_newsimport` as JSON: its properties beyond the fields in ``FeedItem``.
///
/// <doc:NewsimportMembers> lists the members, their types and the elements that fill them.
public struct ItemMembers: Sendable, Equatable {
  /// The members as one JSON object's text, on one line.
  public let json: String
  /// The values as JSON texts, by the members' names.
  private let values: [String: String]

  /// Reads the members of an item in a batch.
  public init(of item: ParsedItem, in batch: ParsedItemBatch) {
    var values: [String: String] = [:]
    let json = Self.json(of: item, in: batch) { values[$0] = $1 }
    self.json = json.isEmpty ? "{}" : String(decoding: json, as: UTF8.self)
    self.values = values
  }

  /// True if the item has no members.
  public var isEmpty: Bool { values.isEmpty }

  /// The JSON text of a member's value; nil if the item does not have the member.
  public subscript(name: String) -> String? { values[name] }

  /// Returns an item's members as one JSON object in UTF-8; an empty array without members.
  ///
  /// The text is the same as ``json``. This function is faster, because it creates no strings.
  public static func json(of item: ParsedItem, in batch: ParsedItemBatch) -> [UInt8] {
    json(of: item, in: batch, visit: nil)
  }

  /// - Parameter visit: Receives each member's name and value.
  private static func json(
    of item: ParsedItem, in batch: ParsedItemBatch, visit: ((String, String) -> Void)?
  ) -> [UInt8] {
    let writer = ItemMemberWriter(item, of: batch)
    if writer.sources.isEmpty { return [] }
    let all = ItemMember.all
    var json = JSONText()
    json.open("{")
    for index in all.indices where !writer.sources.isDisjoint(with: all[index].sources) {
      let start = json.bytes.count
      writer.write(all[index], to: &json)
      guard let visit, json.bytes.count > start else { continue }
      // A comma precedes each member except the first; the value comes after the name and a colon.
      let name = String(describing: all[index].name)
      let value = json.bytes[(start + (start > 1 ? 1 : 0) + name.utf8.count + 3)...]
      visit(name, String(decoding: value, as: UTF8.self))
    }
    if json.bytes.count == 1 { return [] }
    json.close("}")
    return json.bytes
  }
}

extension ItemMembers {
  /// The rows for a Markdown table with all members: the name, the type and the elements that fill it.
  package static var markdown: String {
    ItemMember.all.map { "| `\($0.name)` | \($0.form.markdown) | \($0.filledBy) |\n" }.joined()
  }
}

extension ItemMember.Form {
  fileprivate var markdown: String {
    switch self {
    case .value(_, let type): type.markdown
    case .object(let fields): "object: \(fields.markdown)"
    case .list(let fields), .set(let fields): "objects: \(fields.markdown)"
    case .special(_, let type): "\(type)"
    }
  }
}

extension MemberField.ValueType {
  fileprivate var markdown: String {
    switch self {
    case .text, .lowercased: "string"
    case .whole, .decimal, .seconds: "number"
    case .flag: "boolean"
    }
  }
}

extension [MemberField] {
  fileprivate var markdown: String {
    map { field in
      switch field.content {
      case .list(_, let fields), .last(_, let fields): "`\(field.name)` (\(fields.markdown))"
      default: "`\(field.name)`"
      }
    }.joined(separator: ", ")
  }
}
