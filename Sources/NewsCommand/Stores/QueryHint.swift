import ManagedContext

/// Hints about wrong names in queries. Each begins with a semicolon; an empty text is none.
enum QueryHint {
  /// The views of each store.
  static let views = ["articles", "feeds", "regions", "fetches", "versions"]

  /// Returns the likely view, or a list of all.
  static func ofTable(_ name: String) -> String {
    if views.contains(last(name).lowercased()) { return "; another program has removed this view" }
    return "; "
      + (suggestion(for: last(name), among: views) ?? "the views are \(views.joined(separator: ", "))")
  }

  /// Returns the likely column of the views in a statement, or a list of all.
  static func ofColumn(
    _ name: String, in statement: String, _ store: any NewsStore
  ) throws(StoreError) -> String {
    let text = statement.lowercased()
    var columns = Columns()
    for view in views where text.contains(view) { try store.query("SELECT * FROM \(view) LIMIT 0", &columns) }
    guard !columns.names.isEmpty else { return "" }
    let all = "the columns are \(columns.names.joined(separator: ", "))"
    return "; " + (suggestion(for: last(name), among: columns.names) ?? all)
  }

  /// Returns a name without those of its schema or table.
  private static func last(_ name: String) -> String {
    name.split(separator: ".").last.map(String.init) ?? name
  }

  /// Keeps the names of columns.
  struct Columns: RowVisitor {
    var names: [String] = []

    mutating func begin(_ columns: [String]) { names += columns }

    mutating func visit(_ row: borrowing some VisitedRow & ~Copyable) -> Bool { false }
  }
}
