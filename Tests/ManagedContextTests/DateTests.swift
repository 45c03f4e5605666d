import Foundation
import ManagedContext
import SQLiteStore
import TestSupport
import Testing

/// Dates that are read are those that were saved.
@Suite struct DateTests {
  private static let model = ManagedObjectModel(version: 1, entities: [Visit.self])

  /// Dates of this century with arbitrary fractions, and those at the ends.
  private static let dates: [Date] = {
    var random = SeededGenerator(seed: 57)
    return (0..<200).map { _ in
      Date(timeIntervalSinceReferenceDate: Double.random(in: -1e9...2e9, using: &random))
    } + [
      .distantPast, .distantFuture, Date(timeIntervalSince1970: 0), Date(timeIntervalSinceReferenceDate: 0.1),
    ]
  }()

  private func context(_ kind: StoreKind) throws -> (context: ManagedObjectContext, place: (any Sendable)?) {
    let (store, place) = try kind.makeStore(Self.model)
    return (
      ManagedObjectContext(parent: PersistentStoreCoordinator(model: Self.model, store: store)), place
    )
  }

  @Test(arguments: StoreKind.allCases)
  func `a date is equal after it was stored, in objects, values, rows and groups`(kind: StoreKind) throws {
    let (context, place) = try context(kind)
    for (number, date) in Self.dates.enumerated() {
      let visit = context.insert(Visit.self)
      (visit.number, visit.date, visit.left) = (number, date, number % 2 == 0 ? nil : date)
      #expect(visit.date == date)
    }
    try context.save()
    context.reset()
    let request = FetchRequest(Visit.self, sortedBy: [.ascending(\.number)])
    #expect(try context.fetch(request).map(\.date) == Self.dates)
    #expect(try context.fetchValues(request, \.date) == Self.dates)
    #expect(try context.rows(of: request).map(\.date) == Self.dates)
    let sorted = Self.dates.sorted()
    #expect(try context.aggregate(Visit.self, by: \.date, .count).map(\.0).sorted() == sorted)
    let (first, last) = try context.aggregate(Visit.self, .minimum(\.date), .maximum(\.left))
    #expect(first == Date.distantPast && last == Date.distantFuture)
    #expect(
      try context.fetchValues(FetchRequest(Visit.self, sortedBy: [.ascending(\.date)]), \.date) == sorted)
    withExtendedLifetime(place) {}
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func `a condition finds exactly the date, also among unsaved objects`(kind: StoreKind, isSaved: Bool) throws
  {
    let (context, place) = try context(kind)
    for (number, date) in Self.dates.enumerated() {
      let visit = context.insert(Visit.self)
      (visit.number, visit.date, visit.seconds) = (number, date, date)
    }
    if isSaved { try context.save() }
    for (number, date) in Self.dates.enumerated() {
      func numbers(_ predicate: FetchPredicate<Visit>) throws -> [Int] {
        try context.fetch(FetchRequest(Visit.self, where: predicate)).map(\.number)
      }
      #expect(try numbers(\.date == date) == [number])
      #expect(try numbers(.among(\.date, [date])) == [number])
      #expect(try numbers(\.date >= date && \.date <= date && \.date != date).isEmpty)
      let after = Date(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate.nextUp)
      #expect(try numbers(\.date > date && \.date < after).isEmpty)
      #expect(try numbers(\.seconds == date).contains(number))
    }
    withExtendedLifetime(place) {}
  }

  @Test(arguments: StoreKind.allCases)
  func `batches keep dates in both forms`(kind: StoreKind) throws {
    let (context, place) = try context(kind)
    let (date, seconds) = (Self.dates[0], Date(timeIntervalSince1970: 1_700_000_000))
    var rows = try ObjectRows(Visit.self, in: Self.model, \.number, \.date, \.seconds)
    rows.append(1, date, seconds)
    context.insert(BatchUpsert(rows.batch))
    try context.save()
    let row = try #require(try context.rows(of: FetchRequest(Visit.self)).first)
    #expect(row.date == date && row.seconds == seconds)
    #expect(row.value(at: Visit.schema.seconds.index) == .integer(1_700_000_000))
    let columns = [Visit.schema.date.index, Visit.schema.seconds.index]
    var edited = EditedRow(row, columns: columns)
    (edited[Visit.schema.date], edited[Visit.schema.seconds]) = (seconds, seconds + 1)
    var edits = RowBatch(entity: row.id.entity, columns: columns)
    edited.append(to: &edits)
    context.edit(BatchEdit(edits))
    try context.save()
    #expect(
      try context.count(FetchRequest(Visit.self, where: \.date == seconds && \.seconds == seconds + 1)) == 1)
    try context.updateAll(Visit.self, set: .set(\.date, to: date), .set(\.seconds, to: seconds))
    try context.save()
    #expect(try context.count(FetchRequest(Visit.self, where: \.date == date && \.seconds == seconds)) == 1)
    var wrong = RowBatch(entity: row.id.entity, columns: columns)
    wrong.beginRow()
    for _ in columns { wrong.append(date.attributeValue) }
    context.insert(BatchUpsert(wrong))
    #expect(throws: StoreError.self, "the other form is refused, not stored as other dates") {
      try context.save()
    }
    withExtendedLifetime(place) {}
  }

  @Test func `a date is a number of seconds since 2001 or 1970 in SQL`() throws {
    let folder = try TemporaryFolder()
    let place = StorePlace.file(folder)
    let store = try place.open(Self.model)
    let context = ManagedObjectContext(parent: PersistentStoreCoordinator(model: Self.model, store: store))
    let visit = context.insert(Visit.self)
    (visit.date, visit.seconds) = (Date(timeIntervalSince1970: 1.5), Date(timeIntervalSince1970: 2))
    try context.save()
    let columns =
      "datetime(date + 978307200, 'unixepoch') || ' ' || date || ' ' || seconds || ' ' || typeof(seconds)"
    #expect(
      try place.run("SELECT \(columns) FROM visit") == ["1970-01-01 00:00:01 -978307198.5 2 integer"])
    #expect(
      try place.run("SELECT type FROM pragma_table_info('visit') WHERE name IN ('date', 'seconds')")
        == ["REAL_SECONDS_SINCE_2001", "NUMERIC"])
  }
}

/// Dates in stores of releases that had only seconds since 1970.
@Suite struct EarlierDateTests {
  private static let earlier = ManagedObjectModel(
    version: 1,
    entities: [
      EntityDescription(
        "visit",
        properties: [
          .attribute("number", Int.self, default: 0), .attribute("date", Date.self, as: .secondsSince1970),
          .attribute("left", Date?.self, as: .secondsSince1970),
          .attribute("seconds", Date?.self, as: .secondsSince1970),
        ])
    ])

  private static func model(_ version: Int) -> ManagedObjectModel {
    ManagedObjectModel(version: version, entities: [Visit.self])
  }

  private func make(_ kind: StoreKind) throws -> StorePlace {
    let place = try StorePlace(kind)
    let store = try place.open(Self.earlier)
    try store.insert([
      (0, [.integer(1), .integer(1_700_000_000), .null, .real(0.5)]),
      (0, [.integer(2), .real(1_700_000_000.25), .integer(5), .null]),
    ])
    return place
  }

  @Test(arguments: StoreKind.lasting, [1, 2])
  func `an earlier store's dates are converted when it is opened`(kind: StoreKind, version: Int) throws {
    let place = try make(kind)
    for _ in 1...2 {
      let store = try place.open(Self.model(version))
      let context = ManagedObjectContext(
        parent: PersistentStoreCoordinator(model: Self.model(version), store: store))
      let visits = try context.fetch(FetchRequest(Visit.self, sortedBy: [.ascending(\.number)]))
      #expect(visits.map(\.date.timeIntervalSince1970) == [1_700_000_000, 1_700_000_000.25])
      #expect(visits.map { $0.left?.timeIntervalSince1970 } == [nil, 5])
      #expect(visits.map { $0.seconds?.timeIntervalSince1970 } == [0.5, nil])
      #expect(
        try context.count(
          FetchRequest(Visit.self, where: \.date == Date(timeIntervalSince1970: 1_700_000_000.25)))
          == 1)
      #expect(try place.damage(store).isEmpty)
    }
  }

  @Test func `an earlier store that is opened read-only says how its dates are converted`() throws {
    let place = try make(.sqlite)
    guard case .file(let folder) = place else { return }
    let file = folder.file("store.db")
    let error = #expect(throws: StoreError.self) {
      try SQLiteStore(
        readOnlyPath: file, model: Self.model(1), identity: StoreIdentity(applicationID: 1))
    }
    #expect(
      error
        == .incompatible(
          "\(file): its dates have the form of an earlier release; open it for writing once, which converts them"
        ))
  }
}

private final class Visit: ManagedObject, Entity {
  override class var entityName: String { "visit" }

  struct Schema: Sendable {
    let number = Attribute<Int>("number", default: 0)
    let date = Attribute<Date>("date")
    let left = Attribute<Date?>("left")
    let seconds = Attribute<Date?>("seconds", as: .secondsSince1970)
  }

  static let entity = EntityDeclaration(Visit.self, Schema())
}
