import TextOutput

/// The members of an item as a store has them: those of `_newsimport`, except for the address of the comments, which has a
/// column of its own, and `content_text`, if the item has its content in both forms.
package struct StoredMembers {
  /// The address of the page of comments; nil if the item does not state it.
  package let commentsURL: ByteSlice?
  /// The UTF-8 text of a JSON object; empty without members.
  package let json: [UInt8]

  /// Reads the members of an item.
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

  /// The JSON of an item without other members, which needs no table of members.
  package static func json(summaryIsHTML: Bool, idIsPermaLink: Bool?) -> [UInt8] {
    var json = JSONText()
    json.open("{")
    if summaryIsHTML { json.field("summary_type", "text/html") }
    if let idIsPermaLink { json.field("id_is_permalink", idIsPermaLink) }
    json.close("}")
    return json.bytes
  }
}
