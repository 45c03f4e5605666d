import Foundation
import ManagedContext
import ManagedContextMacros

enum Tier: String, CaseIterable, AttributeConvertible { case basic, gold }
enum OrderState: Int, CaseIterable, AttributeConvertible { case open, sent, returned }

@Entity("customer", unique: [["email"]])
final class Customer: ManagedObject {
  var email: String
  var name: String
  var joined: Date
  var points = 0
  var tier: Tier = .basic
  @Relationship(onDelete: .cascade) var addresses: [Address]
  @Relationship(onDelete: .deny) var orders: [Order]
  @Relationship(onDelete: .cascade) var reviews: [Review]
}

@Entity("address")
final class Address: ManagedObject {
  @Relationship(inverse: "addresses", isOptional: false) var customer: Customer?
  var street: String
  var city: String
  var postcode: String
  var country = "DE"
  @Relationship var orders: [Order]
}

@Entity("category", unique: [["name", "parent"]])
final class Category: ManagedObject {
  var name: String
  @Relationship(inverse: "children") var parent: Category?
  @Relationship(onDelete: .deny) var children: [Category]
  @Relationship(inverse: "categories") var products: [Product]
}

@Entity("supplier", unique: [["name"]])
final class Supplier: ManagedObject {
  var name: String
  var site: URL?
  var rating: Double?
  @Relationship(onDelete: .deny) var products: [Product]
}

@Entity("product", unique: [["sku"]], indexes: [["name"], ["supplier", "price"]])
final class Product: ManagedObject {
  var sku: String
  var name: String
  var price: Decimal
  private(set) var stock = 0
  var details: String?
  var keywords: JSONValue<[String]> = JSONValue([])
  @Relationship("supplier_id", inverse: "products") var supplier: Supplier?
  @Relationship var categories: [Category]
  @Relationship(onDelete: .deny) var lines: [OrderLine]
  @Relationship(onDelete: .cascade) var reviews: [Review]

  func add(_ pieces: Int) { stock += pieces }
}

@Entity("orders", unique: [["number"]], indexes: [["state", "placed"]])
final class Order: ManagedObject {
  var number: Int
  var placed: Date
  var state: OrderState = .open
  @Attribute("paid") var isPaid = false
  @Relationship(inverse: "orders", isOptional: false) var customer: Customer?
  @Relationship(inverse: "orders") var address: Address?
  @Relationship(onDelete: .cascade) var lines: [OrderLine]
}

@Entity("order_line", unique: [["order", "product"]])
final class OrderLine: ManagedObject {
  @Relationship("order_id", inverse: "lines", isOptional: false) var order: Order?
  @Relationship(inverse: "lines", isOptional: false) var product: Product?
  var quantity = 1
  var price: Decimal
}

@Entity("review", unique: [["customer", "product"]])
final class Review: ManagedObject {
  @Relationship(inverse: "reviews", isOptional: false) var customer: Customer?
  @Relationship(inverse: "reviews", isOptional: false) var product: Product?
  var stars: Int
  var text: String?
  @Attribute("written_at", as: .secondsSince1970) var written: Date
}

let shop = ManagedObjectModel(
  version: 1,
  entities: [
    Customer.self, Address.self, Category.self, Supplier.self, Product.self, Order.self, OrderLine.self,
    Review.self,
  ])
