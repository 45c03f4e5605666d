/// The fetched objects that have the same value in the section attribute.
///
/// A section is a snapshot: after the results change, read the controller's sections again.
@MainActor
public struct FetchedSection<Object: ManagedObject> {
  /// The value as text; empty if the value is null or the results are not divided into sections.
  public let name: String
  /// The value that the section's objects share; null if they have no value or the results have no sections.
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

  /// The number of objects in the section.
  public var count: Int { range.count }

  /// The objects' IDs, in order.
  public var ids: [ManagedObjectID] { Array(results.ids[range]) }

  /// The objects, in order. They are faults if the request has a batch size.
  public var objects: [Object] { range.compactMap { controller.object($0, of: results) } }

  /// The title in an index beside a list: the first character of ``name``, uppercased; empty if the name is
  /// empty.
  public var indexTitle: String { name.prefix(1).uppercased() }
}
