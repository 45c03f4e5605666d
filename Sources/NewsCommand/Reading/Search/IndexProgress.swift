import TextOutput

/// A line on the terminal with the progress of an index, for work of more than a second.
@MainActor
final class IndexProgress {
  private let start = ContinuousClock.now
  private var shown = ContinuousClock.now
  private var isShown = false

  /// Shows the progress, at most ten times a second.
  func show(_ done: Int, of total: Int) {
    let now = ContinuousClock.now
    guard Style.canRedraw(.error), now - start > .seconds(1), now - shown > .milliseconds(100) else { return }
    (shown, isShown) = (now, true)
    let part = total > 0 ? done * 100 / total : 100
    Output.error.write("\r\u{1B}[Kindexing for search  \(part) %  of \(grouped(total)) articles")
  }

  /// Removes the line.
  func end() {
    if isShown { Output.error.write("\r\u{1B}[K") }
    isShown = false
  }
}
