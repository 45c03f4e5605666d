public import ManagedContext
internal import TextOutput

/// Returns a quoted SQL identifier.
public func quoted(_ name: String) -> String { name.enclosed(by: "\"") }

/// Returns a quoted SQL text.
public func literal(_ text: String) -> String { text.enclosed(by: "'") }

extension EntityDescription {
  public var table: String { quoted(name) }

  /// Returns the column name for an attribute.
  public func column(_ attribute: Int) -> String { quoted(attributes[attribute].name) }
}
