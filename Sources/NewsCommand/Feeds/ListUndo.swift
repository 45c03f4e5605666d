import FeedImport
import Foundation
import ManagedContext
import NewsModel
import TextOutput
import WebAddress

/// What taking back the last import of a feed list removes.
@MainActor
struct ListUndo {
  /// A region of the list.
  struct Place {
    let region: String
    /// The feeds that leave the region.
    var feeds: [ManagedObjectID] = []
    /// True if the import added the region, and no other feed is in it.
    var isRemoved = false
  }

  /// The list's file, as the user named it.
  let file: String
  /// The time of the import.
  let date: Date
  /// The regions in their order in the list.
  let places: [Place]
  /// The feeds that the import added and that are in no other region.
  let deletion: FeedDeletion
  /// The number of feeds that the import added and that stay, because the user has added them to other regions.
  let staying: Int
  /// The number of entries that were removed or changed since.
  let missing: Int

  /// Reads the record of the last import; nil without one.
  init?(in stack: NewsStack) throws {
    let read: (ListUndo.Record)? = try stack.reading { try Self.read(stack.source) }
    guard let read else { return nil }
    (file, date, places) = (read.file, read.date, read.places)
    (staying, missing) = (read.staying, read.missing)
    deletion = try FeedDeletion(read.deleted, in: stack)
  }

  /// The record of the last import, beside the store as it is now.
  private struct Record {
    var file: String
    var date: Date
    var places: [Place] = []
    var deleted: [Feed] = []
    var staying = 0
    var missing = 0
  }

  private static func read(_ source: DataSource) throws(StoreError) -> Record? {
    let additions = try source.listAdditions()
    guard let first = additions.first else { return nil }
    let feeds = try source.feedsNow(at: additions.map(\.feed))
    let regions = try source.regionNames(of: feeds.values.map(\.id)).mapValues(Set.init)
    let existing = Dictionary(
      try source.regions().map { (Array($0.name.utf8), $0) }, uniquingKeysWith: { first, _ in first })
    var record = Record(file: first.file, date: first.date)
    var numbers: [String: Int] = [:]
    var left: [ManagedObjectID: Set<String>] = [:]
    for addition in additions {
      if addition.isNewRegion, numbers[addition.region] == nil,
        existing[Array(addition.region.utf8)] != nil
      {
        numbers[addition.region] = record.places.count
        record.places.append(Place(region: addition.region, isRemoved: true))
      }
      guard let feed = feeds[addition.feed], regions[feed.id]?.contains(addition.region) == true else {
        record.missing += 1
        continue
      }
      let place = numbers[addition.region] ?? record.places.count
      if place == record.places.count { record.places.append(Place(region: addition.region)) }
      numbers[addition.region] = place
      record.places[place].feeds.append(feed.id)
      left[feed.id, default: []].insert(addition.region)
    }
    for index in record.places.indices where record.places[index].isRemoved {
      guard let region = existing[Array(record.places[index].region.utf8)] else { continue }
      record.places[index].isRemoved =
        try source.feedIDs(of: region).count == record.places[index].feeds.count
    }
    var seen: Set<ManagedObjectID> = []
    for addition in additions where addition.isNewFeed {
      guard let feed = feeds[addition.feed], seen.insert(feed.id).inserted else { continue }
      if regions[feed.id, default: []].isSubset(of: left[feed.id, default: []]) {
        record.deleted.append(feed)
      } else {
        record.staying += 1
      }
    }
    return record
  }

  /// The feeds with articles among the deleted ones.
  var withArticles: FeedDeletion { FeedDeletion(deletion.losses.filter { $0.articles > 0 }) }

  /// The number of feeds that are deleted in one transaction.
  private static let batch = 1000

  /// Removes everything. If that is interrupted, a repeated call continues.
  ///
  /// - Parameter load: Reads the configuration.
  /// - Throws: ``CommandFailure`` of the store.
  func run(in stack: NewsStack, _ load: () throws -> LoadedConfiguration) async throws {
    try await withArticles.run(in: stack, prints: false, load)
    let context = BackgroundContext(parent: stack.root, name: "undo", mergePolicy: .objectTrumps)
    do throws(StoreError) {
      for feeds in deletion.losses.filter({ $0.articles == 0 }).map(\.id).chunks(of: Self.batch) {
        try await FeedRemoval.removeEmpty(feeds, in: context)
      }
    } catch {
      throw CommandFailure(error, store: stack.location)
    }
    stack.main.context.reset()
    _ = try await stack.change {
      let source = stack.source
      for place in places {
        guard let region = try source.region(named: place.region) else { continue }
        try source.remove(place.feeds, from: region)
        if place.isRemoved { try source.remove(region) }
      }
      try source.context.deleteAll(ListAddition.self, where: .constant(true))
    }
  }

  // MARK: Text

  /// The name and the date of the import.
  var title: String { "the import of \(printable(file)) at \(localMinute(date))" }

  /// Returns a line for each region, and one for the deleted feeds.
  func text(isDone: Bool) -> String {
    let verb = isDone ? "removed  " : "would remove  "
    let lines = places.filter { $0.isRemoved || !$0.feeds.isEmpty }.map { place in
      if place.feeds.isEmpty { return "\(verb)region \(printable(place.region))\n" }
      let end = place.isRemoved ? ", and the region" : ""
      return "\(verb)\(counted(place.feeds.count, "feed")) from region \(printable(place.region))\(end)\n"
    }
    let deleted =
      deletion.losses.isEmpty ? "" : "\(isDone ? "deleted  " : "would delete  ")\(deletion.summary)\n"
    return lines.joined() + deleted + rest
  }

  /// What stays.
  private var rest: String {
    let kept =
      staying == 0
      ? ""
      : "kept  \(counted(staying, "new feed")), added to \(staying == 1 ? "another region" : "other regions") since\n"
    let gone =
      missing == 0 ? "" : "skipped  \(counted(missing, "entry", "entries")), removed or moved since\n"
    return kept + gone
  }

  /// Returns the result as JSON.
  func json(isDone: Bool) -> JSONLine {
    [
      "file": file, "imported": date, "removed": isDone,
      "regions": places.filter { $0.isRemoved || !$0.feeds.isEmpty }.map { place -> JSONLine in
        ["region": place.region, "feeds": place.feeds.count, "removed": place.isRemoved]
      },
      "feeds": deletion.losses.count, "articles": deletion.articles, "kept": staying, "skipped": missing,
    ]
  }
}

extension DataSource {
  /// Returns the feeds that have or had these addresses, by address.
  fileprivate func feedsNow(at urls: [WebAddress]) throws(StoreError) -> [WebAddress: Feed] {
    var feeds = try feeds(at: urls)
    for url in urls where feeds[url] == nil {
      if let feed = try feed(at: url) { feeds[url] = feed }
    }
    return feeds
  }
}
