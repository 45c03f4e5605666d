import Catalogue
import Foundation
import ManagedContext
import ManagedContextMacros
import Testing

@Entity
private final class Visit: ManagedObject {
  private(set) var number = 0
  @Relationship(inverse: "visits") private(set) var guest: Guest?

  func note(_ number: Int, by guest: Guest) { (self.number, self.guest) = (number, guest) }
}

@Entity
private final class Guest: ManagedObject {
  var name: String
  @Relationship private(set) var visits: [Visit]
}

/// Properties with private setters, and a class beside one without the macro.
@Suite struct SetterTests {
  private let context = BackgroundContext(
    parent: RootContext(
      coordinator: PersistentStoreCoordinator(
        model: Self.model, store: InMemoryStore(model: Self.model))), name: "test")

  private static let model = ManagedObjectModel(
    version: 1, entities: [Entry.self, Shelf.self, Visit.self, Guest.self])

  @Test func `requests outside of the class name properties that only the class sets`() async throws {
    let counts = try await context.perform { context in
      let guest = context.insert(Guest.self)
      guest.name = "Ada"
      context.insert(Visit.self).note(3, by: guest)
      return [
        try context.count(FetchRequest(Visit.self, where: \.number == 3)),
        try context.count(FetchRequest(Visit.self, where: \Visit.guest!.name == "Ada")),
        try context.count(FetchRequest(Visit.self, where: .to(\.guest, where: \.name == "Ada"))),
        try context.count(FetchRequest(Guest.self, where: .isEmpty(\.visits))),
      ]
    }
    #expect(counts == [1, 1, 1, 0])
  }

  @Test func `requests of other modules name properties that only the class sets`() async throws {
    let day = Date(timeIntervalSince1970: 86_400)
    let titles = try await context.perform { context in
      let shelf = context.insert(Shelf.self)
      shelf.name = "sea"
      for (title, date) in [("Moby-Dick", day), ("Emma", nil)] {
        let entry = context.insert(Entry.self)
        entry.title = title
        if let date { entry.open(at: date) }
        entry.move(to: date == nil ? nil : shelf)
      }
      let opened = try context.fetch(FetchRequest(Entry.self, where: \.opened == day))
      let onShelf = try context.fetch(FetchRequest(Entry.self, where: \Entry.shelf!.name == "sea"))
      let inside = try context.fetch(FetchRequest(Entry.self, where: Entry.isOn("sea")))
      let noted = try context.count(FetchRequest(Entry.self, where: Entry.isNoted()))
      let sorted = try context.fetch(FetchRequest(Entry.self, sortedBy: [.descending(\.opened)]))
      #expect(shelf.entries.map(\.title) == ["Moby-Dick"] && noted == 0)
      return [opened, onShelf, inside, sorted].map { $0.map(\.title) }
    }
    #expect(titles == [["Moby-Dick"], ["Moby-Dick"], ["Moby-Dick"], ["Moby-Dick", "Emma"]])
  }
}
