import ArgumentParser
import ArticleDocuments
import Foundation
import ManagedContext
import NewsModel
import SQLiteStore
import TextOutput
import Threading

extension StoreCommand {
  /// `newsimport store check`
  struct Check: MainCommand {
    static let configuration = CommandConfiguration(
      commandName: "check",
      abstract: "Check the whole store for damage, without changing it.",
      discussion: """
        Exit status 65 if the store is damaged. --repair recovers what can be read into a new store, prints how many rows were \
        there before and are there now, and leaves the damaged one as it is. It exits with 0 if a copy was made, even if rows are \
        missing. Damage inside a text is found only if the text is no longer UTF-8.
        Example: newsimport store check --repair ~/news-repaired.sqlite
        """)

    @OptionGroup var storeOptions: StoreOptions
    @Option(help: ArgumentHelp("Recover what can be read into a new store.", valueName: "file")) var repair:
      String?
    @Flag(
      help:
        "One JSON object: path, bytes, damage (an array, empty without damage), missing_indexes (an array).")
    var json = false

    func perform() async throws {
      let location = NewsStack.location(storeOptions)
      if let repair {
        let path = try location.needsFile(for: "store check --repair")
        guard NewsStack.isThere(storeOptions) else { throw NewsStack.noStore(storeOptions) }
        // A store that cannot be opened has other damage.
        let views = (try? Self.brokenViews(of: NewsStack.readOnly(storeOptions))) ?? []
        return try await StoreRepair(path: path, copy: repair, views: views, json: json).run()
      }
      let store = try NewsStack.readOnly(storeOptions)
      var (findings, bytes): (StoreFindings, Int?) = (StoreFindings(), nil)
      do throws(StoreError) {
        findings = try store.findings()
        if findings.damage.isEmpty { findings.damage = try Self.brokenViews(of: store) }
        bytes = try store.size().bytes
      } catch .corrupt(let cause) {
        // If a page cannot be read at all, the others are not checked.
        findings.damage = [cause]
      } catch {
        throw CommandFailure(error, store: location)
      }
      if json {
        writeJSON([
          "path": store.name, "bytes": bytes, "damage": findings.damage,
          "missing_indexes": findings.missingIndexes,
        ])
      } else {
        for line in findings.damage { Output.standard.print("  \(printable(line))\n") }
        for name in findings.missingIndexes {
          Output.standard.print(
            "  the index \(name) is missing: reading is slower\(location.adviceForIndex)\n")
        }
      }
      guard findings.damage.isEmpty else {
        throw CommandFailure(
          .badInput,
          "\(printable(store.name)): the store is damaged; \(location.adviceForRepair)")
      }
      if !json { Output.standard.print("no damage in \(byteText(bytes ?? 0))\n") }
    }

    /// Describes the views that another program has removed or made unreadable.
    private static func brokenViews(of store: any NewsStore) throws(StoreError) -> [String] {
      var broken: [String] = []
      for view in ["articles", "feeds", "regions", "fetches", "versions"] {
        do throws(StoreError) {
          _ = try store.columns(ofView: view)
        } catch .request(let cause) {
          broken.append("the view \(view) cannot be read: \(cause)")
        }
      }
      return broken
    }
  }
}

/// A `store check --repair` run: recovers readable rows, and prints what is known about the rest.
@MainActor
private struct StoreRepair {
  let path: String
  let copy: String
  /// Descriptions of unreadable views. The copy has all views.
  let views: [String]
  let json: Bool

  func run() async throws {
    let isStopped = Locked(false)
    let signals = SignalWatch { isStopped.withLock { $0 = true } }
    let (path, copy) = (path, copy)
    let end = await Task.detached {
      Result { () throws(StoreError) in
        try SQLiteStore.recover(
          path, to: copy, model: NewsModel.model, identity: NewsStack.identity, replacement: Self.replacement,
          until: { isStopped.withLock(\.self) })
      }
    }.value
    let report: RecoveryReport
    do throws(StoreError) {
      report = try end.get()
    } catch .cannotOpen(let cause) {
      throw CommandFailure(
        .cannotCreate,
        "\(printable(cause)); name a store, and a file that does not exist yet, in a folder that exists")
    } catch .corrupt(let cause) {
      throw CommandFailure(.badInput, "\(printable(cause)); nothing can be read; restore a backup")
    } catch {
      if let status = signals.status {
        throw CommandFailure(status, "\(printable(copy)): the copy was stopped and removed")
      }
      throw CommandFailure(error, store: .file(path))
    }
    let size = (try? FileManager.default.attributesOfItem(atPath: copy)[.size] as? NSNumber)?.intValue ?? 0
    if json { return writeReport(report, size) }
    let counts = Self.named.map { table, word in
      Self.count(report.tables.first { $0.name == table }, word, isDamaged: !report.damage.isEmpty)
    }
    Output.standard.print(
      "repaired  \(printable(copy))  \(byteText(size)): \(counts.joined(separator: ", "))\n")
    Output.standard.print(aligned: Self.rows(report, views))
  }

  private func writeReport(_ report: RecoveryReport, _ size: Int) {
    let tables = report.tables.map { table -> JSONLine in
      [
        "table": table.name, "copied": table.copied, "unreadable": table.unreadable, "refused": table.refused,
        "emptied": table.emptied, "replaced": table.replaced, "before": table.before,
      ]
    }
    writeJSON([
      "path": copy, "bytes": size, "tables": tables, "history_whole": report.isHistoryWhole,
      "damage": report.damage + views, "stray_rows": report.strayRows,
      "unread_log_pages": report.unreadLogPages,
    ])
  }

  /// The tables that always get a count, each with the word for a row.
  private static let named = [
    ("article", "article"), ("feed", "feed"), ("region", "region"), ("article_version", "version"),
  ]

  /// Returns a table's row counts after and before, such as "398 of at most 401 articles".
  private static func count(_ table: RecoveryReport.Table?, _ word: String, isDamaged: Bool) -> String {
    let copied = table?.copied ?? 0
    guard let before = table?.before, before >= copied else {
      return "\(counted(copied, word)) of an unknown number"
    }
    return "\(grouped(copied)) of \(isDamaged ? "at most " : "")\(counted(before, word))"
  }

  /// Returns the lines about damage, and about tables with differences.
  private static func rows(_ report: RecoveryReport, _ views: [String]) -> [[String]] {
    let isDamaged = !report.damage.isEmpty
    var rows = report.tables.flatMap { differences($0, isDamaged: isDamaged) }
    let uncounted = report.tables.filter { table in
      table.before == nil && !named.contains { $0.0 == table.name }
    }
    if !uncounted.isEmpty {
      let names = uncounted.map(\.name).joined(separator: ", ")
      rows.append(["  unknown", "how many rows these tables had: \(names)"])
    }
    if report.strayRows > 0 {
      rows.append(["  unknown", "\(counted(report.strayRows, "row")) of unknown tables were left out"])
    }
    if report.unreadLogPages > 0 {
      rows.append([
        "  log",
        "\(counted(report.unreadLogPages, "page")) were not read: they are of earlier commits, or of commits after damage",
      ])
    }
    if !report.isHistoryWhole {
      rows.append(["  history", "changes could not be read: consumers and hooks that need them say so"])
    }
    rows += views.map { ["  damage", "\(printable($0)); the copy has it"] }
    if !isDamaged, !views.isEmpty { return rows }
    guard isDamaged else {
      rows.append(["  damage", "none was found; damage that leaves a text UTF-8 cannot be seen"])
      return rows
    }
    rows += report.damage.prefix(mostFindings).map { ["  damage", printable($0)] }
    if report.damage.count > mostFindings {
      rows.append(["  damage", "\(grouped(report.damage.count - mostFindings)) more, see store check"])
    }
    rows.append(["  damage", "what the damaged parts held cannot be known"])
    return rows
  }

  /// The largest number of findings that are printed.
  private static let mostFindings = 5

  private static func differences(_ table: RecoveryReport.Table, isDamaged: Bool) -> [[String]] {
    let isNamed = named.contains { $0.0 == table.name }
    let parts: [(count: Int, one: String, many: String)] = [
      (
        isNamed ? 0 : table.unreadable ?? 0,
        isDamaged ? "up to 1 row could not be read" : "1 row could not be read",
        "\(isDamaged ? "up to " : "")# rows could not be read"
      ),
      (
        table.refused, "1 row was left out: it is invalid, or refers to a lost one",
        "# rows were left out: they are invalid, or refer to lost ones"
      ),
      (table.emptied, "1 invalid value was left out", "# invalid values were left out"),
      (
        table.replaced, "1 lost row was replaced, because others refer to it",
        "# lost rows were replaced, because others refer to them"
      ),
    ]
    return parts.filter { $0.count > 0 }.map { count, one, many in
      ["  " + table.name, count == 1 ? one : many.replacing("#", with: grouped(count))]
    }
  }

  /// Returns the texts for a feed or a region that replaces a lost one. The user can rename both.
  private nonisolated static func replacement(_ entity: String, _ key: Int64) -> [String: String]? {
    switch entity {
    case "feed": ["url": "https://lost.invalid/feed-\(key)"]
    case "region": ["name": "lost-\(key)"]
    default: nil
    }
  }
}
