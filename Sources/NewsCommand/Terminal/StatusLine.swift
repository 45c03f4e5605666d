/// A line on the terminal of standard error that is replaced while a command works, and removed at the end.
@MainActor
final class StatusLine {
  private let isPossible: Bool
  private var shown = ""

  /// - Parameter isWanted: False to show nothing. A terminal that cannot erase a line shows nothing either.
  init(isWanted: Bool = true) {
    isPossible = isWanted && Style.canRedraw(.error)
  }

  /// Shows a text instead of the last one.
  func show(_ text: String) {
    guard isPossible, text != shown else { return }
    Output.error.write("\r\u{1B}[K" + text)
    shown = text
  }

  /// Removes the line.
  func clear() { show("") }
}
