import ManagedContext
import TextOutput

/// Hints about wrong names in queries. Each begins with a semicolon; an empty text means no hint.
enum QueryHint {
  /// The views in each store.
  static let views = ["articles", "feeds", "regions", "fetches", "versions"]

  /// Returns the likely view, or a list of all.
  static func ofTable(_ name: String) -> String {
    if views.contains(last(name).lowercased()) { return "; another program has removed this view" }
    return "; "
      + (suggestion(for: last(name), among: views) ?? "the views are \(views.joined(separator: ", "))")
  }

  /// Returns the likely column in a statement's views, or a list of all.
  static func ofColumn(
    _ name: String, in statement: String, _ store: any NewsStore
  ) throws(StoreError) -> String {
    let text = statement.lowercased()
    var columns: [String] = []
    for view in views where text.contains(view) { columns += try store.columns(ofView: view) }
    guard !columns.isEmpty else { return "" }
    let all = "the columns are \(columns.joined(separator: ", "))"
    return "; " + (suggestion(for: last(name), among: columns) ?? all)
  }

  /// Returns a name without its schema or table.
  private static func last(_ name: String) -> String {
    name.split(separator: ".").last.map(String.init) ?? name
  }
}
