import ManagedContext
import TestSupport
import Testing

/// Relationships to an object that another context has deleted.
@Suite struct BrokenReferenceTests {
  @Test(arguments: StoreKind.allCases, MergePolicy.allCases)
  func `a pair with an object that was deleted elsewhere is dropped, and the rest is saved`(
    kind: StoreKind, policy: MergePolicy
  ) throws {
    let store = try LibraryStore(kind)
    try store.add("Woolf", books: ["Orlando"])
    for isMergedBefore in [false, true] {
      let context = store.context(policy)
      let book = try context.fetch(FetchRequest(Book.self))[0]
      let tag = context.insert(Tag.self)
      tag.name = "novel \(isMergedBefore)"
      let kept = context.insert(Tag.self)
      kept.name = "kept \(isMergedBefore)"
      try context.save()
      let other = store.context()
      other.delete(try other.existingObject(Tag.self, with: tag.id))
      book.tags = [tag, kept]
      book.pages = isMergedBefore ? 1 : 2
      let changes = try other.save()
      if isMergedBefore { try context.mergeChanges(from: changes) }
      try context.save()
      try context.mergeChanges(from: changes)
      #expect(tag.isGone && book.tags === [kept] && !context.hasChanges && !book.hasChanges)
      book.title += "."
      try context.save()
      let reader = store.context()
      let read = try reader.existingObject(Book.self, with: book.id)
      #expect(read.tags.map(\.name) == [kept.name] && read.pages == book.pages)
    }
  }

  @Test(arguments: StoreKind.allCases, MergePolicy.allCases)
  func `a pair that another context added is deleted with its object`(
    kind: StoreKind, policy: MergePolicy
  ) throws {
    let store = try LibraryStore(kind)
    try store.add("Woolf", books: ["Orlando"])
    let context = store.context(policy)
    let tag = context.insert(Tag.self)
    tag.name = "novel"
    try context.save()
    context.delete(tag)
    _ = try context.fetch(FetchRequest(Book.self))
    let other = store.context()
    try other.fetch(FetchRequest(Book.self))[0].tags = try other.fetch(FetchRequest(Tag.self))
    try other.save()
    try context.save()
    let reader = store.context()
    #expect(try reader.fetch(FetchRequest(Book.self))[0].tags.isEmpty)
    #expect(try reader.count(FetchRequest(Tag.self)) == 0)
  }
}
