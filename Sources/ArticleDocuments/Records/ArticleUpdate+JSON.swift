import ManagedContext
package import NewsModel
package import TextOutput

extension ArticleUpdate {
  /// Writes the kinds, the changed fields, and their old and new values.
  package func write(to json: inout JSONText) {
    json.key("kind")
    if let kinds { json.strings(kinds.names) } else { json.null() }
    json.key("changed")
    guard let fields else {
      json.null()
      json.key("merged")
      json.raw("true")
      return
    }
    json.strings(fields.map { $0.name })
    json.key("old")
    Self.write(fields, to: &json) { $0.old }
    json.key("new")
    Self.write(fields, to: &json) { $0.new }
  }

  private static func write(
    _ fields: [Field], to json: inout JSONText, _ value: (Field) -> AttributeValue
  ) {
    json.open("{")
    for field in fields {
      json.key(field.name)
      ArticleFields.value(field.name, value(field)).writeJSON(to: &json)
    }
    json.close("}")
  }
}
