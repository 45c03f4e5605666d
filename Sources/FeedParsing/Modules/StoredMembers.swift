import TextOutput

/// The members of an item that a store keeps.
///
/// They are the members in `_newsimport`, without the comment page's address, which has its own column. An
/// item with its content in both forms also has `content_text`.
package struct StoredMembers {
  /// The comment page's address; nil if the item does not state it.
  package let commentsURL: ByteSlice?
  /// The text of a JSON object in UTF-8; empty without members.
  package let json: [UInt8]

  /// Reads an item's members.
  package init(of item: ParsedItem, in batch: ParsedItemBatch) {
    let writer = ItemMemberWriter(item, of: batch)
    commentsURL = writer.commentPage
    var json = JSONText()
    json.open("{")
    json.field("content_text", item.contentText, of: batch)
    for member in ItemMember.all where !writer.sources.isDisjoint(with: member.sources) {
      if case .special(.commentPage, _) = member.form { continue }
      writer.write(member, to: &json)
    }
    if json.bytes.count == 1 {
      self.json = []
    } else {
      json.close("}")
      self.json = json.bytes
    }
  }

  /// Returns the JSON for an item without other members, which needs no member table.
  package static func json(summaryIsHTML: Bool, idIsPermaLink: Bool?) -> [UInt8] {
    var json = JSONText()
    json.open("{")
    if summaryIsHTML { json.field("summary_type", "text/html") }
    if let idIsPermaLink { json.field("id_is_permalink", idIsPermaLink) }
    json.close("}")
    return json.bytes
  }
}
