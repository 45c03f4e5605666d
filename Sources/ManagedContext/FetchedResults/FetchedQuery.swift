/// A controller's request, as a store understands it.
struct FetchedQuery {
  /// Asks for IDs, and for the attribute of the sections.
  let query: StoreQuery
  /// The attribute (by index) of the sections; nil without.
  let section: Int?
  /// The kind of that attribute.
  let sectionType: AttributeType?
  /// The entities whose changes may change the answer.
  let entities: Set<EntityIndex>

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
    var entities: Set<EntityIndex> = [query.entity]
    _ = query.predicate?.asks { entity in
      entities.insert(entity)
      return false
    }
    self.entities = entities
    self.query = query
  }
}
