internal import ManagedContext
internal import SQLStatements

extension EntityDescription {
  /// The type of an attribute's parameters.
  func serverType(_ attribute: Int) -> ServerType { ServerType(attributes[attribute].type) }

  /// Returns the expression in a unique index for an attribute.
  ///
  /// A text is represented by its hash, because an index entry has at most 2.7 KB and a text may be longer.
  func indexExpression(_ attribute: Int) -> String {
    attributes[attribute].type == .text ? "(md5(\(column(attribute)))::uuid)" : column(attribute)
  }

  /// Returns the condition that two values are equal, for use with a unique index. Null equals nothing.
  func isSame(_ attribute: Int, _ own: String, as other: String) -> String {
    guard attributes[attribute].type == .text, isUnique(attribute) else { return "\(own) = \(other)" }
    return "(md5(\(own))::uuid = md5(\(other))::uuid AND \(own) = \(other))"
  }

  /// Returns whether an attribute belongs to a uniqueness constraint.
  func isUnique(_ attribute: Int) -> Bool { uniqueness.contains { $0.contains(attribute) } }
}
