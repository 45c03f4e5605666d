package import ManagedContext
internal import TextOutput

/// Returns a quoted SQL identifier.
package func quoted(_ name: String) -> String { name.enclosed(by: "\"") }

/// Returns a quoted SQL text.
package func literal(_ text: String) -> String { text.enclosed(by: "'") }

extension EntityDescription {
  /// The name of the table.
  package var table: String { quoted(name) }

  /// Returns the name of an attribute's column.
  package func column(_ attribute: Int) -> String { quoted(attributes[attribute].name) }
}
