import ManagedContext
import TestSupport
import Testing

/// Versions of objects in a migration.
@Suite struct RenamedVersionsTests {
  @Test(arguments: StoreKind.lasting)
  func `versions follow a renamed entity, and no trigger of the former model stays`(kind: StoreKind) throws {
    var history = HistoryOptions()
    history.oldValues = ["title"]
    let title = PropertyDescription.attribute("title", String?.self)
    func model(_ version: Int, _ name: String, _ history: HistoryOptions, _ old: String...)
      -> ManagedObjectModel
    {
      let entity =
        old.isEmpty
        ? EntityDescription(name, properties: [title], history: history)
        : EntityDescription(name, properties: [title], history: history, renamedFrom: old[0])
      return ManagedObjectModel(version: version, entities: [entity])
    }
    func update(_ store: any PersistentStore, _ text: String) throws {
      var changes = ChangeSet(mergePolicy: .error)
      changes.batches = [.update(BatchUpdate(entity: 0, predicate: nil, values: [(0, .text(text))]))]
      _ = try store.write([changes])[0].get()
    }
    let place = try StorePlace(kind)
    let first = try place.open(model(1, "page", history))
    try first.insert([(0, [.text("one")])])
    try update(first, "two")
    let renamed = model(2, "sheet", history, "page")
    let second = try place.open(renamed)
    try update(second, "three")
    #expect(try place.run("SELECT title FROM sheet_version ORDER BY number") == ["one", "two"])
    #expect(try place.damage(second) == [])
    let plain = model(3, "sheet", HistoryOptions(), "page")
    let third = try place.open(plain)
    try update(third, "four")
    #expect(try third.values(0, plain) == [1: [.text("four")]])
    #expect(try place.damage(third) == [])
  }
}
