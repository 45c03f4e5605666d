public import ManagedContext

extension FeedImporter {
  /// Imports regions' news.
  ///
  /// The main context decides which feeds may be polled. Workers poll the claimed feeds and save their
  /// articles. The main context merges these saves, and reads this run's results from the saved records.
  ///
  /// - Parameters:
  ///   - feeds: The regions' feeds; see ``ImportFeeds``.
  ///   - main: The stack's main context.
  ///   - selection: The feeds to poll among them, and the user's settings.
  /// - Returns: The results, so far and with a ``ImportReport/failure`` if the import ended early.
  /// - Throws: ``ImportFailure`` if the import could not begin.
  @MainActor
  public func importNews(
    of feeds: ImportFeeds, in main: MainContext, selection: ImportSelection = ImportSelection()
  ) async throws(ImportFailure) -> ImportReport {
    do throws(StoreError) {
      return try await RegionImport.run(feeds, in: main, by: self, selection)
    } catch {
      throw .store(error)
    }
  }

  /// Imports regions' news; see ``importNews(of:in:selection:)``.
  ///
  /// - Parameters:
  ///   - regions: The regions; deleted ones are skipped.
  ///   - main: The stack's main context.
  ///   - selection: The feeds to poll in the regions, and the user's settings.
  /// - Returns: The results.
  /// - Throws: ``ImportFailure`` if the import could not begin.
  @MainActor
  public func importNews(
    for regions: [ManagedObjectID], in main: MainContext, selection: ImportSelection = ImportSelection()
  ) async throws(ImportFailure) -> ImportReport {
    let read = try ImportFailure.ofStore { () throws(StoreError) in
      try ImportFeeds(of: regions, dueAt: selection.dueOnly ? options.now() : nil, in: main.context)
    }
    return try await importNews(of: read, in: main, selection: selection)
  }
}
