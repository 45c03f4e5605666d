/// A controller's request, translated for a store.
struct FetchedQuery {
  /// The query for the IDs and the section attribute; if ``canFollow``, also for the attributes that it sorts
  /// by.
  let query: StoreQuery
  /// The section attribute; nil if the results are not divided into sections.
  let section: StoreSort?
  let sectionType: AttributeType?
  /// The entities that the predicate and the order depend on, besides the objects' own values.
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
      let place = try model.place(at: path)
      let section = StoreSort(attribute: place.attribute, through: place.through, isAscending: true)
      if query.sort.first?.attribute != section.attribute || query.sort.first?.through != section.through {
        query.sort.insert(section, at: 0)
      }
      query.columns = [place.through ?? place.attribute]
      self.section = section
      let owner = section.destination(in: query.entity, model) ?? query.entity
      sectionType = model[owner].attributes[place.attribute].type
    } else {
      section = nil
      sectionType = nil
    }
    var asked: Set<EntityIndex> = []
    let note = { (entity: EntityIndex) in
      asked.insert(entity)
      return false
    }
    _ = query.predicate?.asks(for: note)
    for criterion in query.sort { _ = criterion.asks(for: note, in: query.entity, model) }
    self.asked = asked
    canFollow = query.limit == nil && query.offset == 0 && !query.dependsOnOthers
    if canFollow { query.columns = query.columnsWithSort(model) }
    self.query = query
  }
}
