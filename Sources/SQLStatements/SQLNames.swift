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

  /// Returns SQL for a date attribute's value in seconds since 1970, in either form.
  public func secondsSince1970(_ name: String) -> String {
    let isExact = attributes.contains { $0.name == name && $0.type == .date }
    return isExact ? "(\(quoted(name)) + 978307200.0)" : quoted(name)
  }
}
