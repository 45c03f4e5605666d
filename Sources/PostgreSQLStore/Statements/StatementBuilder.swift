internal import ManagedContext
internal import SQLStatements

/// A statement for PostgreSQL under construction.
struct StatementBuilder: SQLBuilder {
  static let dialect = SQLDialect.postgresql

  let model: ManagedObjectModel
  var text: String
  private(set) var parameters = Parameters()
  /// Ignored: the server's planner knows how many rows a condition selects.
  var isByOrder: Bool {
    get { false }
    set {}
  }

  init(_ model: ManagedObjectModel, _ text: String = "") { (self.model, self.text) = (model, text) }

  var statement: Statement { Statement(text, parameters) }

  /// Returns a statement that yields key, version and the requested columns; version 0 without columns.
  static func select(_ query: StoreQuery, _ model: ManagedObjectModel) -> Statement {
    let entity = model[query.entity]
    var builder = Self(model, selection(entity, query.columns ?? Array(entity.attributes.indices)))
    builder.appendFilter(query)
    return builder.statement
  }

  // MARK: Parameters

  mutating func append(_ part: String) { text += part }

  /// Adds a parameter, and returns its placeholder in the text.
  mutating func place(_ body: (inout Parameters) -> Void) -> String {
    body(&parameters)
    return "$\(parameters.count)"
  }

  mutating func place(_ number: Int64) -> String { place { $0.append(number) } }

  mutating func place(of value: AttributeValue, _ type: AttributeType) -> String? {
    switch (value, ServerType(type)) {
    case (.null, let type): place { $0.appendNull(type) }
    case (.integer(let number), .integer): place { $0.append(number) }
    case (.reference(let id), .integer): place { $0.append(id.key) }
    case (.integer(let number), .real): place { $0.append(Double(number)) }
    // A number with a fraction is compared with whole ones.
    case (.real(let number), .integer), (.real(let number), .real), (.date(let number), .real):
      place { $0.append(number) }
    case (.text(let text), .text) where !text.utf8.contains(0): place { $0.append(text) }
    case (.bytes(let content), .bytes): place { $0.append(content, .bytes) }
    default: nil
    }
  }

  // MARK: Conditions

  static func isEqual(_ attribute: Int, _ place: String, _ entity: EntityDescription) -> String {
    entity.isSame(attribute, entity.column(attribute), as: place)
  }

  mutating func append(_ attribute: Int, among values: [AttributeValue], _ entity: EntityDescription) {
    let type = entity.serverType(attribute)
    let present = values.filter { value in
      if case .text(let text) = value { type == .text && !text.utf8.contains(0) } else { true }
    }
    let column = entity.column(attribute)
    let wanted = place { $0.append(present, of: type) }
    text += "("
    if type == .text, entity.isUnique(attribute) {
      text +=
        "md5(\(column))::uuid = ANY (ARRAY(SELECT md5(value)::uuid FROM unnest(\(wanted)) AS value)) AND "
    }
    text += "\(column) = ANY (\(wanted)))"
  }

  mutating func append(keys: [Int64]) {
    let wanted = place { $0.append(keys) }
    text += "id = ANY (\(wanted))"
  }

  mutating func append(versions: [RowVersion]) {
    let keys = place { $0.append(versions.map(\.id.key)) }
    let numbers = place { $0.append(versions.map(\.version)) }
    text += "(id, version) IN (SELECT * FROM unnest(\(keys), \(numbers)))"
  }

  mutating func appendLimit(_ query: StoreQuery) {
    // In the text, not a parameter: the plan for any number reads far too many rows.
    if let limit = query.limit { text += " LIMIT \(max(0, limit))" }
    if query.offset > 0 { text += " OFFSET \(query.offset)" }
  }
}
