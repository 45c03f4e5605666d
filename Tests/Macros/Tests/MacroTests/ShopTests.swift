import Foundation
import ManagedContext
import Testing

@testable import Shop

/// The shop's model, whose classes have the macro, in a SQLite store.
@Suite struct ShopTests {
  private let folder = StoreFolder()

  @Test func `a class describes what its properties declare`() {
    let product = Product.entity.description
    #expect(product.name == "product")
    #expect(
      product.attributes.map(\.name) == [
        "sku", "name", "price", "stock", "details", "keywords", "supplier_id",
      ])
    #expect(product.attributes.map(\.isOptional) == [false, false, false, false, true, false, true])
    #expect(product.attributes.map(\.type) == [.text, .text, .real, .integer, .text, .text, .reference])
    #expect(product.attributes[3].defaultValue == .integer(0))
    #expect(product.uniqueness == [[0]])
    #expect(product.indexes == [[1], [6, 2]])
    #expect(product.relationships.map(\.name) == ["supplier", "categories", "lines", "reviews"].map(stored))
    #expect(product.relationships.map(\.kind) == [.toOne, .manyToMany, .toMany, .toMany])
    #expect(product.relationships.map(\.inverse) == ["products", "products", "product", "product"])
    #expect(
      Order.entity.description.attributes.map(\.name).prefix(4) == ["number", "placed", "state", "paid"])
  }

  @Test func `a date has the form that its property declares`() throws {
    let written = try #require(Review.entity.description.attributes.last)
    #expect(written.name == "written_at" && written.type == .secondsSince1970)
    #expect(Order.entity.description.attributes[1].type == .date)
    let context = ManagedObjectContext(
      parent: PersistentStoreCoordinator(model: shop, store: InMemoryStore(model: shop)))
    let (review, order) = (context.insert(Review.self), context.insert(Order.self))
    // Seconds since 1970 have too few bits for this date.
    let date = Date(timeIntervalSinceReferenceDate: 0.1)
    (review.written, order.placed) = (date, date)
    #expect(
      review.written == Date(timeIntervalSince1970: date.timeIntervalSince1970) && review.written != date)
    #expect(order.placed == date)
  }

  private func stored(_ name: String) -> String { name == "supplier" ? "supplier_id" : name }

  @Test func `objects are found again by their properties`() async throws {
    let context = try await filled()
    let later = try folder.open(shop)
    try await later.perform { context in
      let customer = try #require(
        try context.fetch(FetchRequest(Customer.self, where: \.email == "a@b.c")).first)
      #expect(customer.name == "Ada" && customer.points == 0 && customer.tier == .gold)
      #expect(customer.addresses.map(\.city) == ["Bonn"] && customer.addresses.first?.country == "DE")
      let product = try #require(try context.fetch(FetchRequest(Product.self, where: \.price > 3)).first)
      #expect(product.price == 4.5 && product.stock == 7 && product.keywords.content == ["hot", "green"])
      #expect(product.supplier?.site?.host() == "tea.example")
      let lines = FetchRequest(OrderLine.self, where: \OrderLine.product!.sku == "T1" && \.quantity >= 2)
      #expect(try context.fetch(lines).map { $0.order?.number } == [17])
      let stocked = try context.fetchValues(FetchRequest(Product.self, where: \.stock > 0), \.sku)
      #expect(Array(stocked) == ["T1"])
    }
    _ = context
  }

  @Test func `both ends of a relationship change together`() async throws {
    try await filled().perform { context in
      let tea = try #require(try context.fetch(FetchRequest(Category.self, where: \.name == "tea")).first)
      let product = try #require(tea.products.first)
      #expect(product.categories.map(\.name) == ["tea"] && tea.parent?.children.map(\.name) == ["tea"])
      tea.products = []
      #expect(product.categories.isEmpty)
      let empty = FetchRequest(Product.self, where: .isEmpty(\.categories))
      #expect(try context.fetch(empty).map(\.sku) == ["T1"])
    }
  }

  @Test func `deletions and saves follow the rules of the properties`() async throws {
    let context = try await filled()
    await context.perform { context in
      for line in (try? context.fetch(FetchRequest(OrderLine.self))) ?? [] { line.order = nil }
    }
    let refused = await #expect(throws: StoreError.self) { try await context.save() }
    #expect(refused?.violations.map(\.attribute) == ["order_id"])
    let counts = try await context.perform { context in
      context.reset()
      for order in try context.fetch(FetchRequest(Order.self)) { context.delete(order) }
      for customer in try context.fetch(FetchRequest(Customer.self)) { context.delete(customer) }
      return [
        try context.count(FetchRequest(OrderLine.self)), try context.count(FetchRequest(Address.self)),
        try context.count(FetchRequest(Product.self)),
      ]
    }
    #expect(counts == [0, 0, 1])
  }

  @Test func `rows without objects have the same properties`() async throws {
    let names = try await filled().perform { context in
      let products = try context.rows(of: FetchRequest(Product.self))
      return products.map { "\($0.sku) \($0.name) \($0.stock)" }
    }
    #expect(names == ["T1 Sencha 7"])
  }

  /// Returns the context that saved an order with its customer and product.
  private func filled() async throws -> BackgroundContext {
    let context = try folder.open(shop)
    await context.perform { context in
      let customer = context.insert(Customer.self)
      (customer.email, customer.name, customer.joined, customer.tier) = ("a@b.c", "Ada", Date(), .gold)
      let address = context.insert(Address.self)
      (address.customer, address.street, address.city, address.postcode) = (
        customer, "Am Hof", "Bonn", "53113"
      )
      let (food, tea) = (context.insert(Category.self), context.insert(Category.self))
      (food.name, tea.name, tea.parent) = ("food", "tea", food)
      let supplier = context.insert(Supplier.self)
      (supplier.name, supplier.site) = ("Tea Ltd", URL(string: "https://tea.example/"))
      let product = context.insert(Product.self)
      (product.sku, product.name, product.price, product.supplier) = ("T1", "Sencha", 4.5, supplier)
      product.keywords = JSONValue(["hot", "green"])
      product.add(7)
      tea.products = [product]
      let order = context.insert(Order.self)
      (order.number, order.placed, order.customer, order.address) = (17, Date(), customer, address)
      let line = context.insert(OrderLine.self)
      (line.order, line.product, line.quantity, line.price) = (order, product, 2, 4.5)
    }
    _ = try await context.save()
    return context
  }
}
