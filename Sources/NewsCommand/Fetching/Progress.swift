import FeedImport
import Foundation
import ManagedContext
import NewsModel
import WebAddress

/// A terminal line that shows a fetch's progress and disappears at its end.
///
/// It is drawn a few times a second, from the importer's activity and from the articles that the main context
/// has merged.
@MainActor
final class Progress {
  let isShown: Bool
  private var line = ProgressLine(total: 0)
  private var began = Date()
  /// The time when the latest result arrived.
  private var lastResult = Date()
  private let status = StatusLine()
  private var clock: Task<Void, Never>?

  init(isShown: Bool) {
    self.isShown = isShown
  }

  /// Shows the line from the first poll until ``end()``.
  func observe(_ activity: ImportActivity) {
    guard isShown else { return }
    activity.didBegin = { [weak self, unowned activity] in self?.begin(activity) }
  }

  private func begin(_ activity: ImportActivity) {
    began = Date()
    lastResult = began
    draw(activity)
    clock = Task { [weak self] in
      while (try? await Task.sleep(for: .milliseconds(250))) != nil { self?.draw(activity) }
    }
  }

  /// Adds the articles in a merge.
  func add(_ changes: ContextChanges) {
    line.inserted += changes.inserted.count(of: NewsModel.Place.article)
    line.edited += ArticleNews.editCount(in: changes)
  }

  /// Removes the line.
  func end() {
    clock?.cancel()
    clock = nil
    status.clear()
  }

  private func draw(_ activity: ImportActivity) {
    let (counts, now) = (activity.counts, Date())
    // Nothing may be due.
    guard counts.total > 0 || activity.waitsForOthers else { return }
    if counts.finished != line.answered { lastResult = now }
    (line.total, line.answered, line.failed) = (counts.total, counts.finished, counts.failed)
    line.waitsForOthers = activity.waitsForOthers
    line.elapsed = now.timeIntervalSince(began)
    line.silence = now.timeIntervalSince(lastResult)
    line.slowest = activity.slowest.map {
      (Self.place($0.address, in: activity.commonSite), now.timeIntervalSince($0.began))
    }
    // Some terminals begin a new line after a line that fills the last column.
    status.show(line.text(columns: (Output.error.columns ?? 80) - 1))
  }

  /// Returns a feed's short name: its host, or if all feeds share a host, the rest of its address.
  private static func place(_ address: WebAddress, in commonSite: String?) -> String {
    let text = address.withoutPassword
    if let commonSite, text.hasPrefix(commonSite) { return String(text.dropFirst(commonSite.count)) }
    return String(address.site.trimmingPrefix(#/https?:\/\//#))
  }
}
