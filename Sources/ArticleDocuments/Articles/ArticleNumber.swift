package import TextOutput

/// An article's number for people: `4711` is in the main store, `old:4711` in the attached store `old`.
package struct ArticleNumber: Hashable, CustomStringConvertible {
  /// The attached store's name; nil for the main store.
  package var store: String?
  /// The row, from 1.
  package let key: Int64

  /// An article in the main store.
  package init(_ key: Int64) {
    self.key = key
  }

  /// An article in an attached store; nil stands for the main store.
  package init(_ key: Int64, in store: String?) {
    (self.key, self.store) = (key, store)
  }

  /// Reads a number; nil for other text.
  package init?(argument text: String) {
    // A store's name has no colon.
    let colon = text.utf8.lastIndex(of: UInt8(ascii: ":"))
    let digits = colon.map { text[text.utf8.index(after: $0)...] } ?? text[...]
    guard let key = Int64(digits), key > 0, colon != text.startIndex else { return nil }
    self.init(key, in: colon.map { String(text[..<$0]) })
  }

  package var description: String { store.map { "\($0):\(key)" } ?? "\(key)" }
}

extension ArticleNumber: RecordValue {
  package var recordText: String { description }

  /// Writes a number in the main store, and a string in an attached one.
  package func writeJSON(to json: inout JSONText) {
    if store == nil { json.raw(description) } else { json.string(description) }
  }
}
