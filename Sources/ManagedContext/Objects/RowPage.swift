/// Rows that were fetched together, with all attributes. Objects read their values in them until they are edited:
/// texts stay bytes, and become `String` values when they are asked for.
///
/// A page has few rows, so that a few objects do not keep all rows of a large fetch in memory.
@usableFromInline
final class RowPage {
  private let rows: RowBatch
  /// The entity that each attribute leads to; nil for other attributes.
  let destinations: [EntityIndex?]

  /// The maximum number of rows in a page.
  static let size = 64

  fileprivate init(_ rows: RowBatch, _ destinations: [EntityIndex?]) {
    (self.rows, self.destinations) = (rows, destinations)
  }

  /// Returns the value of an attribute (by index) in a row.
  func value(_ row: Int32, _ attribute: Int) -> AttributeValue {
    rows.value(row: Int(row), column: attribute, destination: destinations[attribute])
  }

  /// Returns a row's values.
  func values(_ row: Int32) -> [AttributeValue] { destinations.indices.map { value(row, $0) } }
}

/// The pages of fetched rows, which are made for the rows that become objects.
struct RowPages {
  private let rows: RowBatch
  private let destinations: [EntityIndex?]
  /// The class of the objects.
  let objectClass: ManagedObject.Type
  private var pages: [RowPage?]

  /// Nil if the values cannot be read in place: the rows leave out attributes, or come from several stores.
  init?(_ rows: RowBatch, _ model: ManagedObjectModel) {
    guard rows.isFromOneStore, !rows.leavesOutNulls,
      rows.columns.count == model[rows.entity].attributes.count
    else { return nil }
    self.rows = rows
    destinations = rows.destinations(model)
    objectClass = model[rows.entity].objectClass
    pages = Array(repeating: nil, count: (rows.count + RowPage.size - 1) / RowPage.size)
  }

  /// Returns the page with a row, and the row's place in it.
  mutating func place(of row: Int) -> (page: RowPage, row: Int32) {
    let (place, rest) = row.quotientAndRemainder(dividingBy: RowPage.size)
    if let page = pages[place] { return (page, Int32(rest)) }
    let first = place * RowPage.size
    let part = pages.count == 1 ? rows : rows.part(first..<min(first + RowPage.size, rows.count))
    let page = RowPage(part, destinations)
    pages[place] = page
    return (page, Int32(rest))
  }
}
