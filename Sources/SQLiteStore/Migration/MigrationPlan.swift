internal import ManagedContext

/// What leads from the tables of a file to those of a model: decisions only, nothing is read or written.
struct MigrationPlan: Sendable {
  /// What becomes of one entity's table.
  struct Step: Sendable {
    let entity: EntityDescription
    /// The table as it is, under its old name; nil where one is made.
    let source: TableShape?
    /// For each attribute, the column that its values come from; nil for an attribute that is new.
    let columns: [TableShape.Column?]

    /// How the table's definition comes to be the wanted one.
    var change: Change {
      guard let source else { return .create }
      let wanted = TableShape(of: entity).columns
      let isKept = zip(wanted, columns).allSatisfy { $1 == nil || $0 == $1 }
      let kept = columns.count { $0 != nil }
      guard isKept, kept == source.columns.count else { return .rebuild }
      let added = entity.attributes.indices.filter { columns[$0] == nil }
      if added.isEmpty { return .keep }
      let canBeAdded = added.allSatisfy { index in
        let attribute = entity.attributes[index]
        // SQLite adds no column that is required and has no constant default, nor one with a default that refers.
        return attribute.defaultValue.isNull ? attribute.isOptional : attribute.defaultValue.sqlLiteral != nil
      }
      return canBeAdded ? .add(added) : .rebuild
    }
  }

  /// How a table's definition comes to be the wanted one.
  enum Change: Sendable, Equatable {
    case create
    case keep
    /// These attributes are added, which takes no time whatever the number of rows.
    case add([Int])
    /// All rows are copied into a new table.
    case rebuild
  }

  let steps: [Step]
  /// The tables of entities that the model no longer has.
  let removed: [String]
  /// Where the first pairs of new many-to-many relationships come from.
  let pairs: [PairSource]

  /// Whether a reference that led to a row may lead nowhere afterwards.
  var touchesReferences: Bool {
    !removed.isEmpty || !renamed.isEmpty
      || steps.contains { step in
        if case .add(let added) = step.change {
          return added.contains { step.entity.attributes[$0].destination != nil }
        }
        return step.change == .rebuild
      }
  }

  /// The tables that get another name: old, new.
  var renamed: [(from: String, to: String)] {
    steps.compactMap { step in
      step.source.flatMap { $0.name == step.entity.name ? nil : ($0.name, step.entity.name) }
    }
  }

  /// - Throws: ``StoreError/incompatible(_:)`` where it is not clear what becomes of references that the model no longer
  ///   has.
  init(from tables: [TableShape], to model: ManagedObjectModel) throws(StoreError) {
    let byName = Dictionary(uniqueKeysWithValues: tables.map { ($0.name, $0) })
    var free = Set(byName.keys)
    var sources: [String: EntitySource] = [:]
    // Whoever was renamed takes the old table first: a new entity may have been given the free name.
    for takesOldName in [true, false] {
      for entity in model.entities where sources[entity.name] == nil {
        let candidates =
          takesOldName
          ? entity.oldTables(in: model).filter { entity.wasRenamed(from: $0.table, byName, model) }
          : [EntitySource(table: entity.name)]
        guard let source = candidates.first(where: { free.contains($0.table) }) else { continue }
        free.remove(source.table)
        sources[entity.name] = source
      }
    }
    let newNames = Dictionary(uniqueKeysWithValues: sources.map { ($0.value.table, $0.key) })
    removed = free.sorted()
    let steps = model.entities.map { entity in
      guard let source = sources[entity.name], var table = byName[source.table] else {
        return Step(entity: entity, source: nil, columns: entity.attributes.map { _ in nil })
      }
      for index in table.columns.indices {
        // A reference to what is no more leads nowhere, even where a new table has the name.
        table.columns[index].destination = table.columns[index].destination.flatMap { newNames[$0] }
      }
      let columns = entity.columns(of: table, isSwapped: source.isSwapped)
      return Step(entity: entity, source: table, columns: columns)
    }
    self.steps = steps
    var pairs: [PairSource] = []
    for step in steps where step.entity.isJoin && step.source == nil {
      if let source = try PairSource(of: step.entity, steps, model) { pairs.append(source) }
    }
    self.pairs = pairs
  }
}

/// Where an entity's rows are.
private struct EntitySource {
  let table: String
  /// In a table that joins two entities: whether the first is the second now, because their names sort otherwise.
  var isSwapped = false
}

extension EntityDescription {
  /// The tables that an older version of the model may have had for this entity, besides that of its own name.
  fileprivate func oldTables(in model: ManagedObjectModel) -> [EntitySource] {
    guard isJoin else {
      return oldNames.unusedFirst { model.index(named: $0) != nil }.map { EntitySource(table: $0) }
    }
    guard let ends = joinedEnds(in: model) else { return [] }
    // Each of the four names may have been another, at different times.
    var sources: [EntitySource] = []
    for first in ends.first.names {
      for second in ends.second.names {
        let isSwapped = second < first
        let name = Self.joinName(isSwapped ? [second, first] : [first, second])
        if name != self.name { sources.append(EntitySource(table: name, isSwapped: isSwapped)) }
      }
    }
    return sources
  }

  /// Whether the rows are those of an old name's table: it is there, and nothing else tells that it is another's.
  fileprivate func wasRenamed(
    from old: String, _ tables: [String: TableShape], _ model: ManagedObjectModel
  ) -> Bool {
    tables[old] != nil && (tables[name] == nil || model.index(named: old) == nil)
  }

  /// For each attribute, the column that its values come from.
  fileprivate func columns(of table: TableShape, isSwapped: Bool) -> [TableShape.Column?] {
    if isSwapped { return attributes.indices.reversed().map { table.column(attributes[$0].name) } }
    var taken: Set<String> = []
    let names = Set(attributes.map(\.name))
    var columns = attributes.map { attribute -> TableShape.Column? in
      let oldNames = attribute.oldNames.unusedFirst(names.contains)
      guard let column = oldNames.lazy.compactMap({ table.column($0) }).first else { return nil }
      let old = column.name
      // Where both names are there, a model that has both has renamed it before.
      guard table.column(attribute.name) == nil || !attributes.contains(where: { $0.name == old }) else {
        return nil
      }
      return taken.insert(old).inserted ? column : nil
    }
    for (index, attribute) in attributes.enumerated() where columns[index] == nil {
      guard let column = table.column(attribute.name), taken.insert(attribute.name).inserted else { continue }
      columns[index] = column
    }
    return columns
  }
}

extension TableShape {
  fileprivate func column(_ name: String) -> Column? { columns.first { $0.name == name } }
}

extension [String] {
  /// The old names that nothing has now, then the others: where a newer name is in the file, an older one that is in use
  /// again is another's.
  fileprivate func unusedFirst(_ isUsed: (String) -> Bool) -> [String] {
    filter { !isUsed($0) } + filter(isUsed)
  }
}
