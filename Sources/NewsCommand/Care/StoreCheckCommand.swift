import ArgumentParser
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
        Exit status 65 if the store is damaged. --repair copies everything that can be read into a new store, prints what is \
        missing there, and leaves the damaged one as it is. It exits with 0 if a copy was made, even if rows are missing.
        Example: newsimport store check --repair ~/news-repaired.sqlite
        """)

    @OptionGroup var storeOptions: StoreOptions
    @Option(help: ArgumentHelp("Copy what can be read into a new store.", valueName: "file")) var repair:
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
        return try await StoreRepair(path: path, copy: repair, json: json).run()
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

    /// Returns descriptions of the views that another program has removed or changed so that they cannot be read.
    private static func brokenViews(of store: any NewsStore) throws(StoreError) -> [String] {
      var broken: [String] = []
      for view in QueryHint.views {
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

/// One `store check --repair`: copies what can be read of a store, and prints what is missing.
@MainActor
private struct StoreRepair {
  let path: String
  let copy: String
  let json: Bool

  func run() async throws {
    let isStopped = Locked(false)
    let signals = SignalWatch { isStopped.withLock { $0 = true } }
    let (path, copy) = (path, copy)
    let end = await Task.detached {
      Result { () throws(StoreError) in
        try SQLiteStore.salvage(
          path, to: copy, model: NewsModel.model, identity: NewsStack.identity, replacement: Self.replacement,
          until: { isStopped.withLock(\.self) })
      }
    }.value
    let report: SalvageReport
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
    let counts = [("region", "region"), ("feed", "feed"), ("article", "article")].map { name, word in
      counted(report.tables.first { $0.name == name }.map { $0.copied + $0.replaced } ?? 0, word)
    }
    Output.standard.print("saved  \(printable(copy))  \(byteText(size))  \(counts.joined(separator: ", "))\n")
    var rows = report.tables.flatMap(Self.rows)
    if report.lostCommits > 0 {
      rows.append(["  log", "\(counted(report.lostCommits, "commit")) could not be read: the log is damaged"])
    }
    if !report.isHistoryWhole {
      rows.append(["  history", "changes could not be read: consumers and hooks that need them say so"])
    }
    Output.standard.print(aligned(rows))
    if report.isWhole { Output.standard.print("nothing is missing\n") }
  }

  private func writeReport(_ report: SalvageReport, _ size: Int) {
    let tables = report.tables.map { table -> JSONLine in
      [
        "table": table.name, "copied": table.copied,
        "unreadable": table.hasUnknownLoss ? nil : table.unreadable, "refused": table.refused,
        "emptied": table.emptied, "replaced": table.replaced,
      ]
    }
    writeJSON([
      "path": copy, "bytes": size, "tables": tables, "lost_commits": report.lostCommits,
      "history_whole": report.isHistoryWhole,
    ])
  }

  /// Returns the lines about what is missing of a table.
  private static func rows(_ table: SalvageReport.Table) -> [[String]] {
    let parts: [(count: Int, one: String, many: String)] = [
      (table.unreadable, "up to 1 row could not be read", "up to # rows could not be read"),
      (table.hasUnknownLoss ? 1 : 0, "an unknown number of rows could not be read", ""),
      (
        table.refused, "1 row was left out: it is invalid, or refers to a lost one",
        "# rows were left out: they are invalid, or refer to lost ones"
      ),
      (table.emptied, "1 value could not be read", "# values could not be read"),
      (
        table.replaced, "1 lost row was replaced, because others refer to it",
        "# lost rows were replaced, because others refer to them"
      ),
    ]
    return parts.filter { $0.count > 0 }.map { count, one, many in
      ["  " + table.name, count == 1 ? one : many.replacing("#", with: grouped(count))]
    }
  }

  /// Returns the texts of a feed or a region that replaces a lost one. The user can rename both.
  private nonisolated static func replacement(_ entity: String, _ key: Int64) -> [String: String]? {
    switch entity {
    case "feed": ["url": "https://lost.invalid/feed-\(key)"]
    case "region": ["name": "lost-\(key)"]
    default: nil
    }
  }
}
