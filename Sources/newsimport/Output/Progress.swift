/// A line on the terminal that tells how far a fetch is, and is gone when it ends.
@MainActor
final class Progress {
  /// Whether there is somebody to show it to.
  let isShown: Bool
  private var total = 0
  private static let width = 24

  init(isShown: Bool) {
    self.isShown = isShown
  }

  /// Shows the empty bar.
  func begin(total: Int) {
    self.total = total
    if total > 0 { show(FetchReport.Totals()) }
  }

  /// Shows how far it is.
  func show(_ totals: FetchReport.Totals) {
    guard isShown, total > 0 else { return }
    let filled = min(Self.width, Self.width * totals.answered / total)
    let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: Self.width - filled)
    var line = "[\(bar)] \(grouped(totals.answered))/\(grouped(total))"
    if totals.inserted > 0 { line += "  \(grouped(totals.inserted)) new" }
    if totals.edited > 0 { line += "  \(grouped(totals.edited)) edited" }
    if totals.failed > 0 { line += "  \(grouped(totals.failed)) failed" }
    Output.error.write("\r\u{1B}[K" + line)
  }

  /// Removes the line.
  func end() {
    if isShown, total > 0 { Output.error.write("\r\u{1B}[K") }
  }
}
