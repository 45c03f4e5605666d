/// An object's position in fetched results: its section and its index in that section, both counted from 0.
///
/// Foundation's `IndexPath` is a heap-allocated list of any length; this type is two integers.
public struct FetchedIndexPath: Sendable, Hashable, Comparable {
  /// The section's index.
  public var section: Int
  /// The index within the section.
  public var item: Int

  /// Creates an index path from a section and an index in it.
  public init(section: Int, item: Int) {
    self.section = section
    self.item = item
  }

  public static func < (left: FetchedIndexPath, right: FetchedIndexPath) -> Bool {
    (left.section, left.item) < (right.section, right.item)
  }
}

extension FetchedIndexPath: CustomStringConvertible {
  public var description: String { "[\(section), \(item)]" }
}
