internal import ManagedContext

/// A former to-one relationship that is now many-to-many. Its references become the first pairs.
struct PairSource: Sendable {
  /// The table that joins the two entities.
  let join: EntityDescription
  /// The table that contained the to-one relationship, by its new name.
  let table: String
  /// The column with its references.
  let column: String
  /// True if that table's rows are the first element in each pair.
  let isFirst: Bool

  /// - Parameters:
  ///   - join: A joining table that no older version had.
  ///   - steps: The migration steps for all tables.
  /// - Returns: Nil if the old version has no removed reference between the two entities.
  /// - Throws: ``StoreError/incompatible(_:)`` if there are several such references and `renamedFrom` does
  ///   not identify one.
  init?(
    of join: EntityDescription, _ steps: [MigrationPlan.Step], _ model: ManagedObjectModel
  ) throws(StoreError) {
    guard let ends = join.joinedEnds(in: model) else { return nil }
    var candidates: [(column: String, isFirst: Bool, end: RelationshipEnd, isNamed: Bool)] = []
    for (end, other, isFirst) in [(ends.first, ends.second, true), (ends.second, ends.first, false)] {
      guard let step = steps.first(where: { $0.entity.name == end.entity.name }) else { continue }
      let kept = Set(step.columns.compactMap { $0?.name })
      for column in step.source?.columns ?? [] {
        guard column.destination == other.entity.name, !kept.contains(column.name) else { continue }
        let names = [end.relationship.name] + end.relationship.oldNames
        candidates.append((column.name, isFirst, end, names.contains(column.name)))
      }
    }
    let named = candidates.filter(\.isNamed)
    let meant = named.isEmpty ? candidates : named
    guard let source = meant.first else { return nil }
    guard meant.count == 1 else {
      let columns = meant.map { "\($0.end.entity.name).\($0.column)" }.joined(separator: ", ")
      throw .incompatible(
        "\(source.end.entity.name).\(source.end.relationship.name): its objects may come from \(columns); name one of "
          + "them with renamedFrom, or remove them in one version of the model and add the relationship in the next"
      )
    }
    (self.join, table, column, isFirst) = (join, source.end.entity.name, source.column, source.isFirst)
  }
}

struct RelationshipEnd {
  let entity: EntityDescription
  let relationship: RelationshipDescription

  /// All combinations of the entity's and the relationship's current and old names.
  var names: [(entity: String, name: String)] {
    ([entity.name] + entity.oldNames).flatMap { entity in
      ([relationship.name] + relationship.oldNames).map { (entity, $0) }
    }
  }
}

extension EntityDescription {
  /// Returns the relationships that a joining table's two columns represent; nil for any other table.
  func joinedEnds(in model: ManagedObjectModel) -> (first: RelationshipEnd, second: RelationshipEnd)? {
    for entity in model.entities {
      for relationship in entity.relationships where relationship.kind == .manyToMany {
        guard let place = model.index(of: relationship.destination) else { continue }
        let other = model[place]
        guard let inverse = other.relationships.first(where: { $0.name == relationship.inverse }) else {
          continue
        }
        let pairs = PairStorage(relationship, of: entity.name, inverse, of: other.name)
        guard pairs.name == name, !pairs.isSwapped else { continue }
        return (
          RelationshipEnd(entity: entity, relationship: relationship),
          RelationshipEnd(entity: other, relationship: inverse)
        )
      }
    }
    return nil
  }
}
