package import ManagedContext
internal import TextOutput

/// Returns a quoted SQL identifier.
package func quoted(_ name: String) -> String { name.enclosed(by: "\"") }

/// Returns a quoted SQL text.
package func literal(_ text: String) -> String { text.enclosed(by: "'") }

extension EntityDescription {
  package var table: String { quoted(name) }

  /// Returns the column name for an attribute.
  package func column(_ attribute: Int) -> String { quoted(attributes[attribute].name) }
}
