public import ManagedContext

/// The steps from a store's tables to a model's tables. A plan only contains decisions; it does no I/O.
public struct MigrationPlan: Sendable {
  /// The change to one entity's table.
  public struct Step: Sendable {
    public let entity: EntityDescription
    /// The existing table, under its old name; nil if the table is created.
    public let source: TableShape?
    /// The column that contains each attribute's values; nil for a new attribute.
    public let columns: [TableShape.Column?]
    let dialect: SQLDialect

    /// The change that gives the table the wanted definition.
    public var change: Change {
      guard let source else { return .create }
      let wanted = TableShape(of: entity, dialect).columns
      let isKept = zip(wanted, columns).allSatisfy { $1 == nil || $0 == $1 }
      let kept = columns.count { $0 != nil }
      guard isKept, kept == source.columns.count else { return .rebuild }
      let added = entity.attributes.indices.filter { columns[$0] == nil }
      guard let first = added.first else { return .keep }
      // SQLite adds columns at the end. All tables of one version have their columns in the same order,
      // because rows in a damaged file can be read without their table's definition.
      let canBeAdded =
        first == kept
        && added.allSatisfy { index in
          let attribute = entity.attributes[index]
          // SQLite adds required columns only with a constant default, references only without one
          // (sqlite.org/lang_altertable.html).
          return attribute.defaultValue.isNull
            ? attribute.isOptional : attribute.defaultValue.sqlLiteral(dialect) != nil
        }
      return canBeAdded ? .add(added) : .rebuild
    }
  }

  /// The change that gives a table the wanted definition.
  public enum Change: Sendable, Equatable {
    case create
    case keep
    /// Adds these attributes, the entity's last ones, in constant time regardless of the row count.
    case add([Int])
    /// Copies all rows into a new table.
    case rebuild
  }

  public let steps: [Step]
  /// The tables of entities that the model no longer has.
  public let removed: [String]
  /// The sources for the first pairs in new many-to-many relationships.
  let pairs: [PairSource]

  /// True if the migration may break a reference that was valid before.
  public var touchesReferences: Bool {
    !removed.isEmpty || !renamed.isEmpty
      || steps.contains { step in
        if case .add(let added) = step.change {
          return added.contains { step.entity.attributes[$0].destination != nil }
        }
        return step.change == .rebuild
      }
  }

  /// Each renamed table's old and new name.
  public var renamed: [(from: String, to: String)] {
    steps.compactMap { step in
      step.source.flatMap { $0.name == step.entity.name ? nil : ($0.name, step.entity.name) }
    }
  }

  /// Returns an old table's name during the migration.
  func presentName(of table: String) -> String {
    if let place = removed.firstIndex(of: table) { return "migration_old_\(place)" }
    return steps.first { $0.source?.name == table }?.entity.name ?? table
  }

  /// Returns the name of an entity's new table until it replaces the old one.
  static func newName(_ place: Int) -> String { "migration_new_\(place)" }

  /// - Throws: ``StoreError/incompatible(_:)`` if the treatment of removed references is ambiguous.
  public init(
    from tables: [TableShape], to model: ManagedObjectModel, _ dialect: SQLDialect
  ) throws(StoreError) {
    let byName = Dictionary(uniqueKeysWithValues: tables.map { ($0.name, $0) })
    var free = Set(byName.keys)
    var sources: [String: EntitySource] = [:]
    // Renamed entities take their old tables first, because a new entity may have been given the old name.
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
        return Step(
          entity: entity, source: nil, columns: entity.attributes.map { _ in nil }, dialect: dialect)
      }
      for index in table.columns.indices {
        // A reference to a deleted table is broken, even if a new table has the same name.
        table.columns[index].destination = table.columns[index].destination.flatMap { newNames[$0] }
      }
      let columns = entity.columns(of: table, isSwapped: source.isSwapped)
      return Step(entity: entity, source: table, columns: columns, dialect: dialect)
    }
    self.steps = steps
    var pairs: [PairSource] = []
    for step in steps where step.entity.isJoin && step.source == nil {
      if let source = try PairSource(of: step.entity, steps, model) { pairs.append(source) }
    }
    self.pairs = pairs
  }
}

/// The location of an entity's rows in the old version.
private struct EntitySource {
  let table: String
  /// True if a joining table's two columns exchange their roles, because the names sort differently.
  var isSwapped = false
}

extension EntityDescription {
  /// Returns the tables that an older model version may have used for this entity under another name.
  fileprivate func oldTables(in model: ManagedObjectModel) -> [EntitySource] {
    guard isJoin else {
      return oldNames.unusedFirst { model.index(named: $0) != nil }.map { EntitySource(table: $0) }
    }
    guard let ends = joinedEnds(in: model) else { return [] }
    var sources = oldNames.map { EntitySource(table: $0) }
    // Each of the four names may have been a different one at different times.
    for first in ends.first.names {
      for second in ends.second.names {
        let isSwapped = second < first
        let name = Self.joinName(isSwapped ? [second, first] : [first, second])
        if name != self.name { sources.append(EntitySource(table: name, isSwapped: isSwapped)) }
      }
    }
    return sources
  }

  /// Returns whether the rows are in the table with an old name, which belongs to no other entity.
  fileprivate func wasRenamed(
    from old: String, _ tables: [String: TableShape], _ model: ManagedObjectModel
  ) -> Bool {
    tables[old] != nil && (tables[name] == nil || model.index(named: old) == nil)
  }

  /// Returns the column that contains each attribute's values; nil for a new attribute.
  fileprivate func columns(of table: TableShape, isSwapped: Bool) -> [TableShape.Column?] {
    if isJoin {
      let named = attributes.map { table.column($0.name) }
      let ends = table.columns.filter { $0.destination != nil }
      if !isSwapped && named.allSatisfy({ $0 != nil }) || ends.count != named.count { return named }
      return isSwapped ? ends.reversed() : ends
    }
    var taken: Set<String> = []
    let names = Set(attributes.map(\.name))
    var columns = attributes.map { attribute -> TableShape.Column? in
      let oldNames = attribute.oldNames.unusedFirst(names.contains)
      guard let column = oldNames.lazy.compactMap({ table.column($0) }).first else { return nil }
      let old = column.name
      // If both names exist in the table and in the model, an earlier migration has renamed the attribute.
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
  /// Returns the unused old names first, then the others. If the file contains a newer name, an older name
  /// that is in use again belongs to another entity or attribute.
  fileprivate func unusedFirst(_ isUsed: (String) -> Bool) -> [String] {
    filter { !isUsed($0) } + filter(isUsed)
  }
}
