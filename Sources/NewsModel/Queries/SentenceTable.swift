/// The table `sentence`, from which the views make sentences for codes.
///
/// Each template is one row, because every process that opens the store parses the text of its views.
enum SentenceTable {
  static func statements(_ dialect: SQLDialect) -> [String] {
    dialect.table(
      "sentence", "kind TEXT NOT NULL, code TEXT NOT NULL, template TEXT NOT NULL, PRIMARY KEY(kind, code)")
      + ["INSERT INTO sentence VALUES \(rows.joined(separator: ", "))"]
  }

  private static var rows: [String] {
    PollReason.Code.allCases.map { row("reason", $0.rawValue, $0.template) }
      + PollFailure.Code.allCases.map { row("failure", $0.rawValue, $0.template) }
      + PollFailure.meanings.map { row("status", "\($0.key)", $0.value) }
  }

  private static func row(_ kind: String, _ code: String, _ template: String) -> String {
    "('\(kind)', \(literal(code)), \(literal(template)))"
  }

  private static func literal(_ text: String) -> String { "'\(text.replacing("'", with: "''"))'" }

  /// Returns SQL for a code's template; null if the code is null or unknown.
  static func template(_ kind: String, _ code: String) -> String {
    "(SELECT template FROM sentence WHERE kind = '\(kind)' AND code = \(code))"
  }
}
