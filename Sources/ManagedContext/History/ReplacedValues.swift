/// The values that a transaction replaced in an object, and the values that followed them.
public struct ReplacedValues: Sendable {
  /// An attribute's value before and after the transaction.
  public struct Value: Sendable {
    /// The attribute's index.
    public let attribute: Int
    /// The values.
    public let (old, new): (AttributeValue, AttributeValue)

    /// Creates a value.
    public init(attribute: Int, old: AttributeValue, new: AttributeValue) {
      (self.attribute, self.old, self.new) = (attribute, old, new)
    }
  }

  /// The changes that ended the versions, oldest first: several if saves were committed together.
  ///
  /// Empty if the change has no version, because it was merged into an earlier one.
  public let changes: [ObjectVersion.Change]
  /// The values, in the order of ``HistoryOptions/oldValues``.
  public let values: [Value]
  /// The earlier change that a change without a version was merged into; nil for other changes, or if it is
  /// not known.
  public let target: ObjectVersion.Change?

  /// Creates a value.
  public init(changes: [ObjectVersion.Change], values: [Value], target: ObjectVersion.Change? = nil) {
    (self.changes, self.values, self.target) = (changes, values, target)
  }
}
