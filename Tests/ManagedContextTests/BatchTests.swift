import ManagedContext
import TestSupport
import Testing

@Suite struct BatchTests {
  private func titles(_ store: LibraryStore) throws -> [String] {
    try store.context().fetchValues(FetchRequest(Book.self), \.title)
  }

  @Test(arguments: StoreKind.allCases)
  func `many values and objects arrive in their order, whatever parts a store reads`(kind: StoreKind) throws {
    let store = try LibraryStore(kind)
    let names = (0..<2500).map { "Author \($0 + 10_000)" + String(repeating: "é", count: $0 % 90) }
    let cities = names.indices.map { $0 % 3 == 0 ? nil : "City \($0 % 7)" }
    var batch = RowBatch(
      entity: try #require(Library.model.index(of: Author.self)),
      columns: [Author.schema.name.index, Author.schema.city.index])
    for (name, city) in zip(names, cities) {
      batch.beginRow()
      batch.append(text: name)
      batch.append(city.attributeValue)
    }
    let context = store.context()
    context.insert(BatchUpsert(batch))
    try context.save()
    for count in [0, 1, 63, 64, 65, 999, 1000, 1001, 2500] {
      let request = FetchRequest(Author.self, sortedBy: [.ascending(\.name)], limit: count)
      let values = try context.fetchValues(request, \.name, \.city)
      #expect(values.map(\.0) == Array(names.prefix(count)) && values.map(\.1) == Array(cities.prefix(count)))
      let authors = try store.context().fetch(request)
      #expect(authors.map(\.name) == values.map(\.0) && authors.map(\.city) == values.map(\.1))
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a batch update changes all matching objects and reports their IDs and attributes`(kind: StoreKind)
    throws
  {
    let store = try LibraryStore(kind)
    let id = try store.add("Woolf", books: ["Orlando", "Flush", "The Waves"])
    let reader = store.context()
    let books = try reader.existingObject(Author.self, with: id).books
    #expect(books.map(\.title) == ["Orlando", "Flush", "The Waves"])
    let context = store.context()
    try context.updateAll(Book.self, where: \.mark >= 2, set: .set(\.pages, to: 90), .set(\.mark, to: 9))
    #expect(context.hasChanges)
    let changes = try context.save()
    #expect(Set(changes.updated.keys) == Set(books.dropFirst().map(\.id)))
    #expect(
      changes.updated.values.allSatisfy { $0.contains(Book.schema.pages) && !$0.contains(Book.schema.title) })
    #expect(books.map(\.pages) == [nil, nil, nil])
    try reader.mergeChanges(from: changes)
    #expect(books.map(\.pages) == [nil, 90, 90])
    #expect(books.map(\.mark) == [1, 9, 9])
  }

  @Test(arguments: StoreKind.allCases)
  func `a batch deletion deletes all matching objects and reports their IDs`(kind: StoreKind) throws {
    let store = try LibraryStore(kind)
    let id = try store.add("Woolf", books: ["Orlando", "Flush", "The Waves"])
    let reader = store.context()
    let books = try reader.existingObject(Author.self, with: id).books
    #expect(books.map(\.title) == ["Orlando", "Flush", "The Waves"])
    let context = store.context()
    try context.deleteAll(Book.self, where: .hasPrefix(\.title, "The "))
    let changes = try context.save()
    #expect(changes.deleted == [books[2].id])
    try reader.mergeChanges(from: changes)
    #expect(books[2].isGone && books[2].title == "The Waves")
    #expect(try titles(store) == ["Orlando", "Flush"])
  }

  @Test(arguments: StoreKind.allCases)
  func `a batch deletion of chosen rows leaves those that others have changed`(kind: StoreKind) throws {
    let store = try LibraryStore(kind)
    try store.add("Woolf", books: ["Orlando", "Flush", "The Waves", "The Years"])
    let context = store.context()
    let rows = try context.rows(FetchRequest(Book.self), columns: [0])
    let chosen = (0..<3).map { RowVersion(id: rows.id(row: $0), version: rows.versions[$0]) }
    let other = store.context()
    try other.existingObject(Book.self, with: chosen[1].id).title = "Flush: A Biography"
    try other.save()
    try context.deleteAll(Book.self, of: chosen, where: \.title != "Orlando")
    #expect(try context.save().deleted == [chosen[2].id])
    #expect(try titles(store) == ["Orlando", "Flush: A Biography", "The Years"])
    try context.deleteAll(Book.self, of: [])
    #expect(try context.save().deleted == [])
  }

  @Test(arguments: StoreKind.allCases)
  func `deleting an object in a batch deletes its pairs`(kind: StoreKind) throws {
    let store = try LibraryStore(kind)
    try store.add("Woolf", books: ["Orlando", "Flush"])
    let reader = store.context()
    let books = try reader.fetch(FetchRequest(Book.self, sortedBy: [.ascending(\.title)]))
    let tag = reader.insert(Tag.self)
    (tag.name, tag.books) = ("novel", books)
    try reader.save()
    let context = store.context()
    try context.deleteAll(Book.self, where: \.title == "Flush")
    try reader.mergeChanges(from: try context.save())
    #expect(tag.books.map(\.title) == ["Orlando"])
    let later = store.context()
    #expect(try later.fetch(FetchRequest(Tag.self)).map { $0.books.count } == [1])
  }

  @Test(arguments: StoreKind.allCases)
  func `a batch deletion that would leave a broken reference changes nothing`(kind: StoreKind) throws {
    let store = try LibraryStore(kind)
    try store.add("Woolf", books: ["Orlando"])
    let context = store.context()
    let loan = context.insert(Loan.self)
    (loan.book, loan.reader) = (try context.fetchIDs(FetchRequest(Book.self))[0], "Vita")
    try context.save()
    try context.deleteAll(Author.self)
    #expect {
      try context.save()
    } throws: { error in
      guard case .validation(let error) = error as? StoreError else { return false }
      return error.entity == "loan" && error.attribute == "book_id" && error.cause == .brokenRelationship
    }
    #expect(try store.context().count(FetchRequest(Author.self)) == 1)
  }

  @Test(arguments: StoreKind.allCases)
  func `rows are inserted by key paths, and nil is stored as null`(kind: StoreKind) throws {
    let store = try LibraryStore(kind)
    let author = try store.add("Woolf")
    let context = store.context()
    var rows = try ObjectRows(Author.self, in: context.model, \.name, \.city)
    rows.append("Joyce", "Dublin")
    rows.append("Proust", nil)
    context.insert(BatchUpsert(rows.batch))
    context.insert(.books([("Orlando", 1)], by: author))
    #expect(try context.save().inserted.count == 3)
    let cities = try store.context().fetchValues(FetchRequest(Author.self), \.city)
    #expect(cities == [nil, "Dublin", nil])
    let pages = try store.context().fetchValues(FetchRequest(Book.self), \.pages)
    #expect(pages == [Int?.none])
  }

  @Test(arguments: StoreKind.allCases)
  func `an upsert by a uniqueness constraint inserts and updates`(kind: StoreKind) throws {
    let store = try LibraryStore(kind)
    let woolf = try store.add("Woolf", city: "London")
    let context = store.context()
    var rows = try ObjectRows(Author.self, in: context.model, \.name, \.city)
    rows.append("Woolf", "Rodmell")
    rows.append("Joyce", "Dublin")
    context.insert(BatchUpsert(rows.batch, unique: [Author.schema.name.index]))
    let changes = try context.save()
    #expect(changes.inserted.count == 1 && Set(changes.updated.keys) == [woolf])
    let cities = try store.context().fetchValues(FetchRequest(Author.self), \.city)
    #expect(cities == ["Rodmell", "Dublin"])
  }

  // MARK: Edits of rows

  /// Returns new names of authors as they were read.
  private func renaming(_ names: [String: String], in context: ManagedObjectContext) throws -> BatchEdit {
    let read = try context.rows(of: FetchRequest(Author.self)) { [$0.name] }
    var rows = RowBatch(
      entity: Library.author, columns: [Author.schema.name.index, Author.schema.city.index])
    for author in read {
      guard let name = names[author.name] else { continue }
      rows.beginRow(key: author.id.key, version: author.version)
      rows.append(text: name)
      rows.append(RowBatch.Cell.null)
    }
    return BatchEdit(rows)
  }

  private func names(_ store: LibraryStore) throws -> [String] {
    try store.context().fetchValues(FetchRequest(Author.self), \.name)
  }

  @Test(arguments: StoreKind.allCases)
  func `an edit of rows gives each its own values, and reports their IDs and attributes`(kind: StoreKind)
    throws
  {
    let store = try LibraryStore(kind)
    let woolf = try store.add("Woolf", city: "London")
    try store.add("Joyce", city: "Dublin")
    let proust = try store.add("Proust")
    let context = store.context()
    context.edit(try renaming(["Woolf": "Stephen", "Proust": "Marcel"], in: context))
    let changes = try context.save()
    #expect(Set(changes.updated.keys) == [woolf, proust])
    #expect(
      changes.updated.values.allSatisfy { $0.contains(Author.schema.name) && $0.contains(Author.schema.city) }
    )
    #expect(try names(store) == ["Stephen", "Joyce", "Marcel"])
    let cities = try store.context().fetchValues(FetchRequest(Author.self), \.city)
    #expect(cities == [nil, "Dublin", nil])
    context.edit(try renaming(["Stephen": "Woolf"], in: context))
    try context.save()
    #expect(try names(store) == ["Woolf", "Joyce", "Marcel"])
  }

  @Test(arguments: StoreKind.allCases, [MergePolicy.error, .objectTrumps, .storeTrumps])
  func `an edit of rows that have changed or are gone writes nothing, and names each`(
    kind: StoreKind, policy: MergePolicy
  ) throws {
    let store = try LibraryStore(kind)
    let woolf = try store.add("Woolf")
    try store.add("Joyce")
    let proust = try store.add("Proust")
    let context = store.context()
    context.mergePolicy = policy
    context.edit(
      try renaming(["Woolf": "Stephen", "Joyce": "James", "Proust": "Marcel"], in: context))
    let other = store.context()
    try other.existingObject(Author.self, with: woolf).city = "Rodmell"
    other.delete(try other.existingObject(Author.self, with: proust))
    try other.save()
    context.insert(Tag.self).name = "saved together"
    #expect {
      try context.save()
    } throws: { error in
      guard case .conflict(let conflicts)? = error as? StoreError else { return false }
      return conflicts.map(\.object) == [woolf, proust] && conflicts.map(\.kind) == [.changed, .deleted]
        && conflicts[0].objectValues == ["name": .text("Stephen"), "city": .null]
        && conflicts[0].storeValues == ["name": .text("Woolf"), "city": .text("Rodmell")]
        && conflicts[1].storeValues.isEmpty
    }
    #expect(try names(store) == ["Woolf", "Joyce"])
    #expect(try store.context().count(FetchRequest(Tag.self)) == 0)
  }

  @Test(arguments: StoreKind.allCases)
  func `an edit of rows that breaks a rule of the model is refused`(kind: StoreKind) throws {
    let store = try LibraryStore(kind)
    let woolf = try store.add("Woolf")
    let joyce = try store.add("Joyce")
    let taken = ValidationError(
      entity: "author", attribute: "name", object: joyce, cause: .taken(values: [.text("Woolf")], by: woolf))
    try expectRefused(store, taken) { $0.edit(try renaming(["Joyce": "Woolf"], in: $0)) }
    let missing = ValidationError(entity: "author", attribute: "name", cause: .missingValue)
    let stray = ValidationError(entity: "author", attribute: "attribute 99", cause: .unknownAttribute)
    for (column, wanted) in [(Author.schema.name.index, missing), (99, stray)] {
      try expectRefused(store, wanted) { context in
        var rows = RowBatch(entity: Library.author, columns: [column])
        rows.beginRow(key: joyce.key, version: 1)
        rows.append(RowBatch.Cell.null)
        context.edit(BatchEdit(rows))
      }
    }
    #expect(try names(store) == ["Woolf", "Joyce"])
  }

  // MARK: Rows that break a rule of the model

  private func expectRefused(
    _ store: LibraryStore, _ wanted: ValidationError, _ fill: (ManagedObjectContext) throws -> Void
  ) throws {
    let context = store.context()
    context.insert(Tag.self).name = "saved together"
    try fill(context)
    #expect(throws: StoreError.validation(wanted)) { try context.save() }
    #expect(try store.context().count(FetchRequest(Tag.self)) == 0)
  }

  @Test(arguments: StoreKind.allCases)
  func `a batch without a column for a required relationship is refused`(kind: StoreKind) throws {
    let wanted = ValidationError(entity: "book", attribute: "author_id", cause: .missingValue)
    try expectRefused(try LibraryStore(kind), wanted) { context in
      var rows = try ObjectRows(Book.self, in: context.model, \.title)
      rows.append("Orlando")
      context.insert(BatchUpsert(rows.batch))
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a row without a required value, or with a value of another type, is refused`(kind: StoreKind) throws {
    let store = try LibraryStore(kind)
    let causes: [(AttributeValue, ValidationError.Cause)] = [
      (.null, .missingValue), (.integer(5), .wrongType(expected: .text)),
    ]
    for (value, cause) in causes {
      let wanted = ValidationError(entity: "author", attribute: "name", cause: cause)
      try expectRefused(store, wanted) { context in
        var rows = RowBatch(
          entity: Library.author, columns: [Author.schema.city.index, Author.schema.name.index])
        for name in [.text("Woolf"), value] {
          rows.beginRow()
          rows.append(RowBatch.Cell.null)
          rows.append(name)
        }
        context.insert(BatchUpsert(rows))
      }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a row that refers to an object of another store names the relationship`(kind: StoreKind) throws {
    let (store, other) = (try LibraryStore(kind), try LibraryStore(kind))
    let woolf = try other.add("Woolf")
    let wanted = ValidationError(entity: "book", attribute: "author_id", cause: .brokenRelationship)
    try expectRefused(store, wanted) { context in context.insert(.books([("Orlando", 1)], by: woolf)) }
    #expect(try other.context().count(FetchRequest(Author.self)) == 1)
  }

  @Test(arguments: StoreKind.allCases)
  func `the error for a unique value that another row has names the value and its owner`(kind: StoreKind)
    throws
  {
    let store = try LibraryStore(kind)
    let woolf = try store.add("Woolf")
    func taken(_ name: String, by other: ManagedObjectID?) -> ValidationError {
      ValidationError(
        entity: "author", attribute: "name", cause: .taken(values: [.text(name)], by: other))
    }
    func insert(_ names: [String], _ context: ManagedObjectContext) throws {
      var rows = try ObjectRows(Author.self, in: context.model, \.name)
      for name in names { rows.append(name) }
      context.insert(BatchUpsert(rows.batch))
    }
    try expectRefused(store, taken("Woolf", by: woolf)) { try insert(["Joyce", "Woolf"], $0) }
    try expectRefused(store, taken("Joyce", by: nil)) { try insert(["Joyce", "Joyce"], $0) }
  }

  @Test(arguments: StoreKind.allCases)
  func `a batch update that gives two objects the same unique value names both`(kind: StoreKind) throws {
    let store = try LibraryStore(kind)
    let woolf = try store.add("Woolf")
    let joyce = try store.add("Joyce")
    let wanted = ValidationError(
      entity: "author", attribute: "name", object: joyce, cause: .taken(values: [.text("Proust")], by: woolf))
    try expectRefused(store, wanted) { try $0.updateAll(Author.self, set: .set(\.name, to: "Proust")) }
  }

  @Test func `the errors of invalid batches have readable descriptions`() throws {
    let store = try LibraryStore(.memory)
    let woolf = try store.add("Woolf")
    let joyce = try store.add("Joyce")
    let values = [AttributeValue.text("Joyce"), .integer(2)]
    let errors = [
      ValidationError(entity: "author", attribute: "name", cause: .taken(values: [values[0]], by: nil)),
      ValidationError(
        entity: "author", attribute: "name, city", object: woolf, cause: .taken(values: values, by: joyce)),
    ]
    #expect(
      errors.map { "\(StoreError.validation($0))" } == [
        "a value breaks a rule of the model: author.name: “Joyce” is used by two rows of the save",
        "a value breaks a rule of the model: author.name, city of object 1: “Joyce”, 2 is used by object 2",
      ])
  }

  @Test func `the history records batches like saves of objects`() throws {
    let store = try LibraryStore(.sqlite)
    let id = try store.add("Woolf", books: ["Orlando"])
    let token = try store.coordinator.currentHistoryToken()
    let context = store.context()
    context.transactionAuthor = "batches"
    try context.updateAll(Author.self, set: .set(\.city, to: "London"))
    try context.deleteAll(Book.self)
    let changes = try context.save()
    let history = try store.coordinator.history(after: token)
    #expect(history.map(\.author) == ["batches"])
    #expect(history.first?.changes.deleted == changes.deleted)
    #expect(history.first?.changes.updated[id]?.contains(Author.schema.city) == true)
  }

  @Test func `a rollback discards batches, and a failed save keeps them`() throws {
    let store = try LibraryStore(.memory)
    try store.add("Woolf")
    let context = store.context()
    try context.updateAll(Author.self, set: .set(\.city, to: "London"))
    context.rollback()
    #expect(!context.hasChanges)
    try context.updateAll(Author.self, set: .set(\.city, to: "London"))
    let stray = context.insert(Author.self)
    #expect(throws: StoreError.self) { try context.save() }
    stray.name = "Joyce"
    #expect(try context.save().updated.count == 1)
  }
}
