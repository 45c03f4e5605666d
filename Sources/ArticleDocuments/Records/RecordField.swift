package import TextOutput

/// A field in a list's items.
package struct RecordField<Subject>: Sendable {
  package let name: String
  /// The item's attribute (by index) that the field has; nil if it has another value.
  let attribute: Int?
  package let value: @Sendable (Subject) -> any RecordValue
  private let key: [UInt8]
  private let writeValue: (@Sendable (Subject, inout JSONText) -> Void)?

  /// Creates a field.
  ///
  /// - Parameters:
  ///   - name: The name, on which scripts rely.
  ///   - attribute: See ``attribute``.
  ///   - value: Returns an item's value.
  ///   - write: Writes the same value as JSON without copying it; nil for a value that is copied.
  package init(
    _ name: String, of attribute: Int? = nil, _ value: @escaping @Sendable (Subject) -> any RecordValue,
    write: (@Sendable (Subject, inout JSONText) -> Void)? = nil
  ) {
    (self.name, self.attribute, self.value, writeValue) = (name, attribute, value, write)
    key = JSONText.encodedKey(name)
  }

  /// Writes an item's field as a JSON object member.
  package func write(_ subject: Subject, to json: inout JSONText) {
    json.key(encoded: key)
    if let writeValue { writeValue(subject, &json) } else { value(subject).writeJSON(to: &json) }
  }
}

extension JSONLine {
  /// Creates an object with an item's fields.
  package init<Subject>(_ fields: [RecordField<Subject>], of subject: Subject) {
    self.init(fields.map { ($0.name, $0.value(subject)) })
  }
}
