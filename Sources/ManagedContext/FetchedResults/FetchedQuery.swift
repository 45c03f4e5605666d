/// A controller's request, translated for a store.
struct FetchedQuery {
  /// The query for the IDs and the section attribute; if ``canFollow``, also for the attributes that it sorts
  /// by.
  let query: StoreQuery
  /// The section attribute, by index; nil if the results are not divided into sections.
  let section: Int?
  let sectionType: AttributeType?
  /// The entities that the predicate depends on, besides the objects' own values.
  let asked: Set<EntityIndex>
  /// True if the results can be updated from the changed objects, without reading all IDs.
  let canFollow: Bool

  /// The entities that affect the results when their objects change.
  var entities: Set<EntityIndex> { asked.union([query.entity]) }

  init<Object: ManagedObject>(
    _ request: FetchRequest<Object>, sectionedBy path: PropertyPath<Object>?,
    model: ManagedObjectModel
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
    canFollow = query.limit == nil && query.offset == 0
    if canFollow { query.columns = query.columnsWithSort(model) }
    self.query = query
  }
}
