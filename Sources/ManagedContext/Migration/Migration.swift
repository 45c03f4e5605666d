/// A change to older stores that a store cannot infer from its tables: converted values, entities that are split
/// or merged.
///
/// A store runs it when it is opened, in the same transaction as the change to the tables. See <doc:Migrations>.
public struct Migration: Sendable {
  /// The model version that needs the change. The migration runs for stores with an older version.
  public let version: Int
  /// The model of this version; nil if the migration leads to the next model that is known.
  let model: ManagedObjectModel?
  let body: @Sendable (MigrationContext) throws -> Void

  /// Creates a migration to a version, whose rows are written in the next version with a known model: the
  /// newest one, or that of a later ``init(to:_:)-(ManagedObjectModel,_)``.
  ///
  /// - Parameters:
  ///   - version: The version that needs the change.
  ///   - body: Reads old rows and writes new ones, on the thread that opens the store. Any error that it throws
  ///     ends the opening, and undoes its transaction.
  public init(to version: Int, _ body: @escaping @Sendable (MigrationContext) throws -> Void) {
    (self.version, model, self.body) = (version, nil, body)
  }

  /// Creates a migration to an earlier version of the model, as a stage with its own transaction.
  ///
  /// - Parameters:
  ///   - model: All entities in that version, described by their names
  ///     (``EntityDescription/init(_:properties:uniqueness:indexes:history:renamedFrom:)``).
  ///   - body: As in ``init(to:_:)-(Int,_)``.
  public init(
    to model: ManagedObjectModel, _ body: @escaping @Sendable (MigrationContext) throws -> Void = { _ in }
  ) {
    (version, self.model, self.body) = (model.version, model, body)
  }

  static func check(_ migrations: [Migration], upTo version: Int) {
    for migration in migrations {
      precondition(
        migration.model == nil ? migration.version <= version : migration.version < version,
        "a migration to version \(migration.version) is later than the model's version \(version)")
    }
  }
}

/// The progress of a migration.
public struct MigrationProgress: Sendable, Equatable {
  /// The model version to which this stage migrates the store.
  public let version: Int
  /// The entity, by its name in the store's old version.
  public let entity: String
  /// The number of old rows in the entity that were read so far.
  public let rows: Int
  /// The number of old rows in the entity.
  public let total: Int
  /// The number of old rows that were read so far in all entities of this stage.
  public let allRows: Int
  /// The number of old rows in all entities that this stage reads: those with values of another type, and those that
  /// the program's code has begun to read. It grows if the code begins another one.
  public let allTotal: Int
}

/// A migration from a store's version to the next version whose model is known.
public struct MigrationStage: Sendable {
  /// The store's version before.
  public let from: Int
  /// The model afterwards.
  public let model: ManagedObjectModel
  /// The models of later stages, which may use what this stage keeps.
  let later: [ManagedObjectModel]
  private let migrations: [Migration]

  /// True if code from the program changes rows.
  public var hasCode: Bool { !migrations.isEmpty }

  init(
    from: Int, to model: ManagedObjectModel, _ migrations: [Migration], before later: [ManagedObjectModel]
  ) {
    (self.from, self.model, self.migrations, self.later) = (from, model, migrations, later)
  }

  /// Returns an error if the stage's description lacks what the store has and a later version uses: its rows or
  /// values would be lost.
  ///
  /// - Parameters:
  ///   - entity: The entity's name in the store.
  ///   - attribute: The attribute's name; nil for the entity.
  public func omission(of entity: String, _ attribute: String? = nil) -> StoreError? {
    let user = later.first { model in
      model.entities.contains { description in
        guard description.name == entity || description.oldNames.contains(entity) else { return false }
        guard let attribute else { return true }
        return description.attributes.contains { $0.name == attribute }
      }
    }
    guard let user else { return nil }
    let name = attribute.map { "\(entity).\($0)" } ?? entity
    return .incompatible(
      "the description of version \(model.version) lacks \(name), which version \(user.version) has")
  }

  /// Runs the program's code, and converts the rows whose conversion is left to the context.
  public func run(
    on tables: any MigratedTables, report: @escaping (MigrationProgress) -> Void
  ) throws(StoreError) {
    let context = MigrationContext(from: from, tables, report: report)
    for migration in migrations {
      do {
        try migration.body(context)
      } catch let error as StoreError {
        throw error
      } catch is CancellationError {
        throw .cancelled
      } catch {
        throw .incompatible("the migration to version \(migration.version) failed: \(error)")
      }
    }
    try context.finish()
  }
}

extension ManagedObjectModel {
  /// Returns the next stage for a store with an older version.
  public func migrationStage(from version: Int) -> MigrationStage {
    let next = migrations.compactMap(\.model).filter { $0.version > version }.min { $0.version < $1.version }
    let model = next ?? self
    let chosen = migrations.filter { $0.version > version && $0.version <= model.version }
    // The order of equal versions is theirs in the list.
    let sorted = chosen.enumerated().sorted {
      ($0.element.version, $0.offset) < ($1.element.version, $1.offset)
    }
    let later =
      migrations.compactMap(\.model).filter { $0.version > model.version } + (next == nil ? [] : [self])
    return MigrationStage(from: version, to: model, sorted.map(\.element), before: later)
  }
}
