import FeedImport
import Foundation
import NewsConfiguration
import NewsModel
import TextOutput

/// Figures about a run, and about the store after it.
struct FetchMetrics {
  var totals: ImportReport.Totals
  /// The size of all bodies after decoding, in bytes.
  var bytes: Int
  let began: Date
  let ended: Date
  /// The command's exit status.
  var status: Int32
  /// Region statistics; empty if the store cannot be read.
  var regions: [FeedStatistics]
  /// The store's counters; empty if the store cannot be read.
  var counters: [Counter.Key: Int] = [:]

  /// Replaces a file with the metrics in one step.
  ///
  /// - Throws: ``CommandFailure`` that names the file.
  @MainActor
  func write(to path: String, sparing store: StoreLocation, _ configuration: ConfigurationOptions) throws {
    let file = try WholeFile(path, sparing: store, configuration, mode: 0o644)
    try file.write(text)
    _ = try file.finish()
  }

  /// The metrics in the OpenMetrics text format.
  var text: String {
    var metrics = OpenMetrics()
    metrics.add(
      "newsimport_run_end_timestamp_seconds", "When the last fetch ended.",
      ended.timeIntervalSince1970.rounded())
    metrics.add(
      "newsimport_run_duration_seconds", "How long the last fetch took.",
      (max(0, ended.timeIntervalSince(began)) * 1000).rounded() / 1000)
    metrics.add("newsimport_run_exit_status", "The exit status of the last fetch.", Double(status))
    metrics.add(
      "newsimport_run_feeds", "Feeds in the last fetch, by outcome.",
      [
        ("updated", totals.updated), ("not_modified", totals.unchanged), ("failed", totals.failed),
        ("not_polled", totals.skipped),
      ].map { ([("outcome", $0.0)], Double($0.1)) })
    metrics.add(
      "newsimport_run_articles", "Articles of the last fetch.",
      [([("change", "new")], Double(totals.inserted)), ([("change", "edited")], Double(totals.edited))])
    metrics.add("newsimport_run_body_bytes", "Bytes of all bodies of the last fetch.", Double(bytes))
    metrics.add(
      "newsimport_feeds", "Feeds per region, by state.",
      regions.flatMap { region in
        FeedState.allCases.map { state in
          (
            [("region", region.name), ("state", state == .neverPolled ? "never_polled" : state.rawValue)],
            Double(region.states[state] ?? 0)
          )
        }
      })
    metrics.add(
      "newsimport_articles", "Articles of a region in the store.",
      regions.map { ([("region", $0.name)], Double($0.articles)) })
    addCounters(to: &metrics)
    return metrics.text
  }

  private func addCounters(to metrics: inout OpenMetrics) {
    for subject in Counter.Key.Subject.allCases {
      let (name, help, label) = Self.family(of: subject)
      let samples = counters.filter { $0.key.subject == subject }
        .map { (kind: $0.key.kind.replacing(" ", with: "_"), total: Double($0.value)) }
      metrics.add(
        name, help,
        samples.sorted { $0.kind < $1.kind }
          .map { (labels: label.isEmpty ? [] : [(label, $0.kind)], value: $0.total) }, kind: .counter)
    }
  }

  private static func family(of subject: Counter.Key.Subject) -> (name: String, help: String, label: String) {
    switch subject {
    case .polls: ("newsimport_polls", "Polls of feeds by all fetches, by outcome.", "outcome")
    case .failures: ("newsimport_poll_failures", "Failed polls in all fetches, by cause.", "cause")
    case .articles: ("newsimport_imported_articles", "Articles that all fetches have saved.", "change")
    case .bytes: ("newsimport_received_bytes", "Bytes of bodies in all fetches.", "")
    }
  }

  /// Ends a failed run, and writes its exit status to the metrics. If that fails, it is only printed, because
  /// the run's failure is more important.
  ///
  /// - Parameter write: Writes the metrics with an exit status.
  /// - Throws: The failure.
  @MainActor
  static func end(_ failure: CommandFailure, writing write: (Int32) throws -> Void) throws -> Never {
    do {
      try write(failure.status.rawValue)
    } catch let other as CommandFailure {
      Output.error.warn(printable(other.message ?? "the metrics cannot be written"))
    }
    throw failure
  }
}
