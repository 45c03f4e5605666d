public import ManagedContext

// An article must not leave the store before the waiting hooks have received it. FeedImport's ArticleDeletion
// is the only code that checks for waiting hooks, and deletes. For articles, Swift prefers these methods to
// the general ones, and their warning is an error in this package.

extension ManagedObjectContext {
  /// Deletes an article without regard to hooks.
  @available(
    *, deprecated, message: "ArticleDeletion deletes articles, and spares those that wait for a hook"
  )
  public func delete(_ article: Article) {
    delete(article as ManagedObject)
  }

  /// Deletes articles without regard to hooks.
  @available(
    *, deprecated, message: "ArticleDeletion deletes articles, and spares those that wait for a hook"
  )
  public func deleteAll(
    _ type: Article.Type, of chosen: [RowVersion]? = nil, where predicate: FetchPredicate<Article>? = nil
  ) throws(StoreError) {
    try deleteRows(of: type, chosen, predicate)
  }

  private func deleteRows<Object: ManagedObject>(
    of type: Object.Type, _ chosen: [RowVersion]?, _ predicate: FetchPredicate<Object>?
  ) throws(StoreError) {
    try deleteAll(type, of: chosen, where: predicate)
  }
}
