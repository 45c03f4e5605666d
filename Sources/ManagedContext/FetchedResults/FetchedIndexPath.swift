/// Where an object stands in fetched results: its section, and its place in there, both from 0.
///
/// Foundation's `IndexPath` is a list of any length that keeps itself on the heap; these are two numbers.
public struct FetchedIndexPath: Sendable, Hashable, Comparable {
  /// The section.
  public var section: Int
  /// The place in the section.
  public var item: Int

  /// Names a place.
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
