/// A controller's request, as a store understands it.
struct FetchedQuery {
  /// Asks for IDs, for the attribute of the sections, and for those that the order rests on.
  let query: StoreQuery
  /// The attribute (by index) of the sections; nil without.
  let section: Int?
  /// The kind of that attribute.
  let sectionType: AttributeType?
  /// The entities that the predicate asks about, besides the objects' own values.
  let asked: Set<EntityIndex>

  /// The entities whose changes may change the answer.
  var entities: Set<EntityIndex> { asked.union([query.entity]) }

  /// Whether the answer follows from what changed, and need not be read as a whole.
  var canFollow: Bool { Self.canFollow(query) }

  private static func canFollow(_ query: StoreQuery) -> Bool { query.limit == nil && query.offset == 0 }

  init<Object: ManagedObject>(
    _ request: FetchRequest<Object>, sectionedBy path: PartialKeyPath<Object>?, model: ManagedObjectModel
  ) throws(StoreError) {
    var query = try request.query(model: model, columns: [])
    if let path {
      let section = try model.attribute(at: path).index
      if query.sort.first?.attribute != section {
        query.sort.insert(StoreSort(attribute: section, isAscending: true), at: 0)
      }
      query.columns = [section]
      self.section = section
      sectionType = model[query.entity].attributes[section].type
    } else {
      section = nil
      sectionType = nil
    }
    var asked: Set<EntityIndex> = []
    _ = query.predicate?.asks { entity in
      asked.insert(entity)
      return false
    }
    self.asked = asked
    if Self.canFollow(query) { query.columns = query.columnsWithSort(model) }
    self.query = query
  }
}
