import Foundation
import ManagedContext
import Threading

/// A line on the terminal that tells how far a fetch is, and is gone when it ends.
///
/// It is drawn a few times a second, whatever happens meanwhile.
@MainActor
final class Progress {
  /// Whether there is somebody to show it to.
  let isShown: Bool
  /// What is asked just now, told of on the download thread.
  nonisolated let underWay = FeedsUnderWay()
  private var line = ProgressLine(total: 0)
  private var place: (ManagedObjectID) -> String? = { _ in nil }
  private var began = Date()
  /// When the last answer came.
  private var answeredLast = Date()
  private var drawn = ""
  private var clock: Task<Void, Never>?

  init(isShown: Bool) {
    self.isShown = isShown
  }

  /// Shows the empty bar, and draws it anew from time to time.
  ///
  /// - Parameter place: What a feed is called; nil for one that is not shown.
  func begin(total: Int, place: @escaping (ManagedObjectID) -> String?) {
    guard isShown, total > 0 else { return }
    began = Date()
    answeredLast = began
    line.total = total
    self.place = place
    draw()
    clock = Task { [weak self] in
      while (try? await Task.sleep(for: .milliseconds(250))) != nil { self?.draw() }
    }
  }

  /// Notes how far it is.
  func show(_ totals: FetchReport.Totals) {
    if totals.answered != line.answered { answeredLast = Date() }
    line.answered = totals.answered
    line.inserted = totals.inserted
    line.edited = totals.edited
    line.failed = totals.failed
  }

  /// Removes the line.
  func end() {
    clock?.cancel()
    clock = nil
    guard !drawn.isEmpty else { return }
    Output.error.write("\r\u{1B}[K")
    drawn = ""
  }

  private func draw() {
    let now = Date()
    line.elapsed = now.timeIntervalSince(began)
    line.silence = now.timeIntervalSince(answeredLast)
    line.slowest = underWay.slowest.flatMap { slowest in
      place(slowest.feed).map { ($0, now.timeIntervalSince(slowest.since)) }
    }
    // A line that fills the last column makes some terminals begin another one.
    let text = line.text(columns: (Output.error.columns ?? 80) - 1)
    guard text != drawn else { return }
    Output.error.write("\r\u{1B}[K" + text)
    drawn = text
  }
}

/// The feeds that are under way, with when they were asked; told of on the download thread.
final class FeedsUnderWay: Sendable {
  private let feeds = Locked<[ManagedObjectID: Date]>([:])

  func begin(_ feed: ManagedObjectID, at date: Date) {
    feeds.withLock { $0[feed] = date }
  }

  func end(_ feed: ManagedObjectID) {
    feeds.withLock { $0[feed] = nil }
  }

  /// The one that was asked first; nil where none is.
  var slowest: (feed: ManagedObjectID, since: Date)? {
    feeds.withLock { feeds in feeds.min { $0.value < $1.value } }.map { ($0.key, $0.value) }
  }
}
