import ManagedContext
import TestSupport
import Testing

/// The hooks of classes that derive from ``HookedObject``.
@Suite struct HookTests {
  private let coordinator: PersistentStoreCoordinator
  private let context: ManagedObjectContext

  init() {
    coordinator = PersistentStoreCoordinator(model: Shop.model, store: InMemoryStore(model: Shop.model))
    context = ManagedObjectContext(parent: coordinator)
  }

  private func order(_ customer: String, items: Int = 1) -> Order {
    let order = context.insert(Order.self)
    order.customer = customer
    for _ in 0..<items { context.insert(OrderLine.self).order = order }
    return order
  }

  @Test func `a new object has the values of its first hook, in one context`() throws {
    let order = order("Ada")
    #expect(order.number == 1000 && order.log == ["awake"])
    try context.save()
    let reader = ManagedObjectContext(parent: coordinator)
    #expect(try reader.existingObject(Order.self, with: order.id).log.isEmpty)
  }

  @Test(arguments: StoreKind.allCases)
  func `the save writes the changes of its hooks, and calls each once`(kind: StoreKind) throws {
    let (store, place) = try kind.makeStore(Shop.model)
    let context = ManagedObjectContext(
      parent: PersistentStoreCoordinator(model: Shop.model, store: store))
    let order = context.insert(Order.self)
    (order.customer, order.countsItems) = ("Ada", true)
    let item = context.insert(OrderLine.self)
    item.order = order
    try context.save()
    #expect(order.saves == 1 && order.log == ["awake", "willSave", "didSave"])
    #expect(try store.fetch(StoreQuery(entity: 0)).value(row: 0, column: 2, model: Shop.model) == .integer(1))
    order.log = []
    item.amount = 3
    try context.save()
    // The item's hook changed the order, so the same save calls the order's.
    #expect(order.log == ["willSave", "didSave"])
    #expect(order.total == 3)
    #expect(!context.hasChanges)
    withExtendedLifetime(place) {}
  }

  @Test func `a save without changes calls no hook`() throws {
    let order = order("Ada")
    try context.save()
    order.log = []
    try context.save()
    #expect(order.log.isEmpty)
  }

  @Test func `an object whose pairs change is called`() throws {
    let (order, label) = (order("Ada"), context.insert(OrderLabel.self))
    try context.save()
    order.log = []
    order.labels = [label]
    try context.save()
    #expect(order.log == ["willSave", "didSave"])
  }

  @Test func `hooks that insert objects without end fail the save, which keeps its changes`() throws {
    order("Ada").endless = true
    let error = #expect(throws: StoreError.self) { try context.save() }
    #expect(
      error == .request("willSave() of order changes other objects in more than 100 rounds"))
    #expect(context.hasChanges)
    context.rollback()
    _ = order("Ada")
    try context.save()
  }

  @Test func `a deletion is announced before and after, also one by a delete rule`() throws {
    let order = order("Ada", items: 2)
    try context.save()
    let items = order.items
    #expect(items.count == 2)
    for object in [order] + items { object.log = [] }
    context.delete(order)
    #expect(order.log == ["prepare, items: 2"])
    try context.save()
    for object in [order] + items {
      #expect(object.log.dropFirst() == ["willSave of deleted", "didSave of gone"])
    }
    #expect(items.map(\.log.first) == ["prepare", "prepare"])
  }

  @Test func `a hook that deletes its object again is called once`() throws {
    let order = order("Ada")
    order.deletesItself = true
    context.delete(order)
    #expect(order.log == ["awake", "prepare, items: 1"])
  }

  @Test(arguments: StoreKind.allCases)
  func `a save that objects refuse names all violations, changes nothing and succeeds when repeated`(
    kind: StoreKind
  ) throws {
    let (store, place) = try kind.makeStore(Shop.model)
    let context = ManagedObjectContext(
      parent: PersistentStoreCoordinator(model: Shop.model, store: store))
    let (good, bad) = (context.insert(Order.self), context.insert(Order.self))
    (good.customer, bad.customer) = ("Ada", "")
    let orphan = context.insert(OrderLine.self)
    orphan.amount = -1
    let error = #expect(throws: StoreError.self) { try context.save() }
    let expected = [
      ValidationError(entity: "order", attribute: "customer", object: bad.id, cause: .rule("has no name")),
      ValidationError(
        entity: "order_line", attribute: "amount", object: orphan.id, cause: .rule("is negative")),
      ValidationError(entity: "order_line", attribute: "order_id", object: orphan.id, cause: .missingValue),
    ]
    let found = error?.violations ?? []
    #expect(found.count == 3 && expected.allSatisfy(found.contains))
    #expect(try store.count(StoreQuery(entity: 0)) == 0 && good.isInserted && good.id.isTemporary)
    #expect(error?.isRefusal == true)
    (bad.customer, orphan.amount, orphan.order) = ("Grace", 1, good)
    #expect(try context.save().inserted.count == 3)
    #expect(!bad.log.contains("didSave twice") && bad.log.filter { $0 == "didSave" }.count == 1)
    withExtendedLifetime(place) {}
  }

  @Test func `a single violation is the error of one value`() throws {
    let order = order("")
    let violation = ValidationError(
      entity: "order", attribute: "customer", object: order.id, cause: .rule("has no name"))
    #expect(throws: StoreError.validation(violation)) { try context.save() }
    #expect("\(violation)" == "order.customer of \(order.id): has no name")
  }

  @Test func `a batch calls no hook`() throws {
    let order = order("Ada")
    try context.save()
    order.log = []
    try context.updateAll(Order.self, set: .set(\.customer, to: ""))
    try context.save()
    #expect(order.customer.isEmpty && order.log.isEmpty)
  }

  @Test func `a child's save and its parent's each call the hooks, and one insertion wakes once`() throws {
    let parent = BackgroundContext(parent: coordinator, name: "parent")
    let child = ManagedObjectContext(parent: parent)
    let order = child.insert(Order.self)
    order.customer = "Ada"
    try child.save()
    #expect(order.log == ["awake", "willSave", "didSave"])
    let id = order.id
    let logs = try parent.performAndWait { (context) throws(StoreError) in
      let own = try context.existingObject(Order.self, with: id)
      let before = own.log
      try context.save()
      return [before, own.log, ["\(own.number)"]]
    }
    #expect(logs == [[], ["willSave", "didSave"], ["1000"]])
  }

  @Test func `an object that a hook deletes after an earlier save takes its related objects with it`() throws
  {
    let (order, other) = (order("Ada"), order("Grace", items: 2))
    try context.save()
    order.customer = "Ada L."
    order.deletedLater = other
    try context.push()
    // The next save contains the object too, so it first ends the earlier one, which calls the hook.
    order.customer = "Ada Lovelace"
    #expect(try context.save().deleted.count == 3)
  }

  @Test func `a hook cannot save its context`() throws {
    let order = order("Ada")
    order.savesInHook = true
    try context.save()
    #expect(order.log == ["awake", "willSave", "refused", "didSave"])
  }
}

private enum Shop {
  static let model = ManagedObjectModel(version: 1, entities: [Order.self, OrderLine.self, OrderLabel.self])
}

/// An object that records its hooks' calls.
private class LoggedObject: HookedObject {
  var log: [String] = []

  override func prepareForDeletion() { log.append("prepare") }
  override func willSave() { log.append(isDeleted ? "willSave of deleted" : "willSave") }
  override func didSave() { log.append(isGone ? "didSave of gone" : "didSave") }
}

private final class Order: LoggedObject, Entity {
  override class var entityName: String { "order" }

  struct Schema: Sendable {
    let customer = Attribute<String>("customer", default: "")
    let number = Attribute<Int>("number", default: 0)
    let saves = Attribute<Int>("saves", default: 0)
    let total = Attribute<Int>("total", default: 0)
    let items = ToMany<OrderLine>("items", onDelete: .cascade)
    let labels = ToMany<OrderLabel>("labels", inverse: \.orders)
  }

  static let entity = EntityDeclaration(Order.self, Schema())

  var countsItems = false
  var endless = false
  var deletesItself = false
  var savesInHook = false
  var deletedLater: Order?

  override func awakeFromInsert() {
    super.awakeFromInsert()
    self.number = 1000
    log.append("awake")
  }

  override func prepareForDeletion() {
    log.append("prepare, items: \(self.items.count)")
    if deletesItself { context?.delete(self) }
  }

  override func willSave() {
    super.willSave()
    if savesInHook {
      do { try context?.save() } catch { log.append("refused") }
    }
    if !isDeleted { self.saves += 1 }
    if countsItems { self.total = self.items.reduce(0) { $0 + $1.amount } }
    if endless, let next = context?.insert(Order.self) { (next.customer, next.endless) = ("Ada", true) }
  }

  override func didSave() {
    super.didSave()
    if let other = deletedLater { context?.delete(other) }
    deletedLater = nil
  }

  override func validate() -> [ValidationError] {
    self.customer.isEmpty ? [violation("has no name", of: \.customer)] : []
  }
}

private final class OrderLine: LoggedObject, Entity {
  override class var entityName: String { "order_line" }

  struct Schema: Sendable {
    let order = ToOne<Order>("order_id", inverse: \.items, isOptional: false)
    let amount = Attribute<Int>("amount", default: 0)
  }

  static let entity = EntityDeclaration(OrderLine.self, Schema())

  override func willSave() {
    super.willSave()
    if !isDeleted, let order = self.order, order.countsItems { order.total += 1 }
  }

  override func validate() -> [ValidationError] {
    self.amount < 0 ? [violation("is negative", of: \.amount)] : []
  }
}

private final class OrderLabel: ManagedObject, Entity {
  override class var entityName: String { "order_label" }

  struct Schema: Sendable {
    let orders = ToMany<Order>("orders")
  }

  static let entity = EntityDeclaration(OrderLabel.self, Schema())
}
