import ManagedContext
import NewsModel
import WebAddress

/// Applies the polls' results to other rows in the store. If a step fails here, nothing is lost.
extension RegionImport {
  /// Gives feeds their new addresses, if these have proved reliable. The next import repeats failed moves.
  func settleMoves() async {
    let moved = moved.filter { !selection.keptAddresses.contains($0) }
    guard !moved.isEmpty, let waiting = importer.options.waiting else { return }
    let deletion = ArticleDeletion(in: importer.root, name: "moves", sparing: waiting)
    let now = importer.options.now()
    do throws(StoreError) {
      let proven = try await deletion.context.perform { (context) throws(StoreError) in
        try context.fetch(FetchRequest(Feed.self, where: .ids(moved))).filter {
          FeedMoves.isProven($0, at: now)
        }.map(\.id)
      }
      for feed in try source.schedules(proven) { report.formerAddresses[feed.id] = feed.url }
      report.moves = try await FeedMoves.settle(proven, by: deletion)
    } catch {
      return
    }
  }

  /// Records whether servers can be reached. If that cannot be saved, the next run reports it again.
  func settleOutage() async {
    let isOutage = !report.unreachable.isEmpty
    guard isOutage || (outage != nil && report.isReached) else { return }
    report.outage = isOutage ? .continues(isNew: outage == nil) : outage.map { .ended(began: $0) }
    let context = BackgroundContext(parent: importer.root, name: "outage", mergePolicy: .storeTrumps)
    let now = began
    do throws(StoreError) {
      try await context.perform { (context) throws(StoreError) in
        if !isOutage {
          try context.deleteAll(Outage.self, where: .constant(true))
        } else if try DataSource(context).outage() == nil {
          context.insert(Outage.self).began = now
        }
      }
      try await context.save()
    } catch {
      return
    }
  }

  /// Gives new copies of read and starred stories their marks. If this fails, they stay without marks.
  func settleMarks(ofArticlesAfter newest: Int64) async {
    let context = BackgroundContext(parent: importer.root, name: "marks", mergePolicy: .storeTrumps)
    do throws(StoreError) {
      let count = try await context.perform { (context) throws(StoreError) in
        try DataSource(context).spreadMarks(toArticlesAfter: newest)
      }
      if count > 0 { try await context.save() }
    } catch {
      return
    }
  }
}
