import TextOutput

/// The members of an item's `_newsimport` as JSON: its properties beyond the fields of ``FeedItem``.
///
/// <doc:NewsimportMembers> lists the members, their types and the elements that fill them.
public struct ItemMembers: Sendable, Equatable {
  private struct Member: Equatable {
    let name: String
    /// The JSON text of the value.
    let value: String
  }

  private let members: [Member]

  /// The members of an item of a batch.
  public init(of item: ParsedItem, in batch: ParsedItemBatch) {
    let writer = ItemMemberWriter(item, of: batch)
    members = ItemMember.all.compactMap { member in
      var json = JSONText()
      writer.write(member, to: &json)
      let name = String(describing: member.name)
      return json.bytes.isEmpty
        ? nil : Member(name: name, value: String(json.text.dropFirst(name.utf8.count + 3)))
    }
  }

  /// True if the item has no members.
  public var isEmpty: Bool { members.isEmpty }

  /// The members as the text of one JSON object, on one line.
  public var json: String {
    var json = JSONText()
    json.open("{")
    for member in members {
      json.key(member.name)
      json.raw(member.value)
    }
    json.close("}")
    return json.text
  }

  /// The JSON text of a member's value; nil if the item does not have the member.
  public subscript(name: String) -> String? { members.first { $0.name == name }?.value }

  /// Returns the members of an item as the UTF-8 text of one JSON object; an empty array without members.
  ///
  /// The text is that of ``json``. This function is the faster way, because it creates no strings.
  public static func json(of item: ParsedItem, in batch: ParsedItemBatch) -> [UInt8] {
    let writer = ItemMemberWriter(item, of: batch)
    if writer.sources.isEmpty { return [] }
    let all = ItemMember.all
    var json = JSONText()
    json.open("{")
    for index in all.indices where !writer.sources.isDisjoint(with: all[index].sources) {
      writer.write(all[index], to: &json)
    }
    if json.bytes.count == 1 { return [] }
    json.close("}")
    return json.bytes
  }
}

extension ItemMembers {
  /// The rows of a Markdown table of all members: the name, the type and the elements that fill it.
  package static var markdown: String {
    ItemMember.all.map { "| `\($0.name)` | \($0.form.markdown) | \($0.filledBy) |\n" }.joined()
  }
}

extension ItemMember.Form {
  fileprivate var markdown: String {
    switch self {
    case .value(_, let type): type.markdown
    case .object(let fields), .merged(let fields): "object: \(fields.markdown)"
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
      case .weightedTags: "`\(field.name)` (`tag`, `weight`)"
      default: "`\(field.name)`"
      }
    }.joined(separator: ", ")
  }
}
