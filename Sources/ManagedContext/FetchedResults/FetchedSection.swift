/// The fetched objects that have one value of the attribute by which they are grouped.
///
/// It is what it was when it was asked for: after a change the controller has other sections.
@MainActor
public struct FetchedSection<Object: ManagedObject> {
  /// The value, as text; empty for none, and without sections.
  public let name: String
  /// The value that its objects have in common; null for none, and without sections.
  public let value: AttributeValue
  private let range: Range<Int>
  private let results: FetchedResults
  private let controller: FetchedResultsController<Object>

  init(
    _ section: FetchedResults.Section, of results: FetchedResults, type: AttributeType?,
    controller: FetchedResultsController<Object>
  ) {
    name = type.map { section.value.text(as: $0) } ?? ""
    value = section.value
    range = section.range
    self.results = results
    self.controller = controller
  }

  /// How many objects it has.
  public var count: Int { range.count }

  /// Their IDs, in order.
  public var ids: [ManagedObjectID] { Array(results.ids[range]) }

  /// The objects, in order: faults where the request has a batch size.
  public var objects: [Object] { range.compactMap { controller.object($0, of: results) } }

  /// What an index beside a list shows for it: the name's first character as a capital; empty for no name.
  public var indexTitle: String { name.prefix(1).uppercased() }
}
