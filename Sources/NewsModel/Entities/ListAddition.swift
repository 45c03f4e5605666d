public import Foundation
public import ManagedContext
public import WebAddress

/// An entry of a feed in a region that the last import of a feed list added, so that the import can be taken back.
///
/// It has the address and the name, and no references: it stays when the feed or the region is removed.
public final class ListAddition: ManagedObject {
  override public class var entityName: String { "list_addition" }

  package enum Key {
    package static let list = AttributeKey<Int64>(0, "list_hash")
    package static let file = AttributeKey<String>(1, "file")
    package static let date = AttributeKey<Date>(2, "date")
    package static let region = AttributeKey<String>(3, "region")
    package static let feed = AttributeKey<WebAddress>(4, "feed")
    package static let isNewFeed = AttributeKey<Bool>(5, "new_feed")
    package static let isNewRegion = AttributeKey<Bool>(6, "new_region")
  }

  /// The hash of the list's bytes while its import is not finished; 0 afterwards.
  public var list: Int64 {
    get { self[Key.list] }
    set { self[Key.list] = newValue }
  }

  /// The list's file, as the user named it.
  public var file: String {
    get { self[Key.file] }
    set { self[Key.file] = newValue }
  }

  /// The time of the import.
  public var date: Date {
    get { self[Key.date] }
    set { self[Key.date] = newValue }
  }

  /// The name of the region.
  public var region: String {
    get { self[Key.region] }
    set { self[Key.region] = newValue }
  }

  /// The address of the feed when it was added.
  public var feed: WebAddress {
    get { self[Key.feed] }
    set { self[Key.feed] = newValue }
  }

  /// True if the import also added the feed to the store.
  public var isNewFeed: Bool {
    get { self[Key.isNewFeed] }
    set { self[Key.isNewFeed] = newValue }
  }

  /// True if the import also added the region.
  public var isNewRegion: Bool {
    get { self[Key.isNewRegion] }
    set { self[Key.isNewRegion] = newValue }
  }

  static let entity = EntityDescription(
    entityName, class: ListAddition.self,
    properties: [
      .attribute(Key.list, \ListAddition.list),
      .attribute(Key.file, \ListAddition.file),
      .attribute(Key.date, \ListAddition.date),
      .attribute(Key.region, \ListAddition.region),
      .attribute(Key.feed, \ListAddition.feed),
      .attribute(Key.isNewFeed, \ListAddition.isNewFeed),
      .attribute(Key.isNewRegion, \ListAddition.isNewRegion),
    ])
}

/// A feed list that is imported.
public struct ImportedList: Sendable, Equatable {
  /// The hash of the list's bytes, by which an import continues the record of one that was interrupted; 0 if the import is
  /// one transaction.
  public var hash: Int64
  /// The list's file, as the user named it.
  public let file: String
  /// The time of the import.
  public let date: Date

  /// Creates the description of a list.
  public init(hash: Int64, file: String, date: Date) {
    (self.hash, self.file, self.date) = (hash, file, date)
  }
}

extension DataSource {
  /// Returns what the last import of a feed list that added anything has added, in its order.
  public func listAdditions() throws(StoreError) -> [ListAddition] {
    try context.fetch(FetchRequest(ListAddition.self))
  }

  /// Records the entries that an import adds, instead of those of the import before, with the next save.
  func record(
    _ entries: [(region: String, feed: WebAddress, isNewFeed: Bool, isNewRegion: Bool)], of list: ImportedList
  ) throws(StoreError) {
    guard !entries.isEmpty else { return }
    let others: FetchPredicate<ListAddition> = list.hash == 0 ? .constant(true) : \.list != list.hash
    let old = try context.fetchIDs(FetchRequest(ListAddition.self, where: others))
    try context.deleteAll(ListAddition.self, where: .ids(old))
    for entry in entries {
      let addition = context.insert(ListAddition.self)
      addition.list = list.hash
      addition.file = list.file
      addition.date = list.date
      addition.region = entry.region
      addition.feed = entry.feed
      addition.isNewFeed = entry.isNewFeed
      addition.isNewRegion = entry.isNewRegion
    }
  }

  /// Ends the record of an import of several transactions: a later import begins a new one.
  public func finishAdditions(of list: ImportedList) throws(StoreError) {
    try context.updateAll(ListAddition.self, where: \.list == list.hash, set: .set(\.list, to: 0))
  }

  /// Renames a region in the record of the last import.
  public func renameRegionOfAdditions(from old: String, to new: String) throws(StoreError) {
    try context.updateAll(ListAddition.self, where: \.region == old, set: .set(\.region, to: new))
  }
}
