/// What a to-many relationship of an object led to when it was asked for.
struct RelatedObjects {
  var ids: [ManagedObjectID]
  /// The context's generation of the relationship then; with another one the IDs may be wrong.
  let generation: Int
}
