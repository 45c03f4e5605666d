public import ManagedContext

extension FeedImporter {
  /// Finds the feeds that an import may poll in some regions.
  ///
  /// - Parameters:
  ///   - regions: The regions; deleted ones are skipped.
  ///   - main: The stack's main context.
  ///   - dueOnly: True to find only due feeds. The cost does not depend on the other feeds then.
  @MainActor
  public func feeds(
    of regions: [ManagedObjectID], in main: MainContext, dueOnly: Bool
  ) throws(StoreError) -> ImportFeeds {
    try ImportFeeds(of: regions, dueAt: dueOnly ? options.now() : nil, in: main.context)
  }

  /// Imports regions' news.
  ///
  /// The main context decides which feeds may be polled. Workers poll the claimed feeds and save their
  /// articles. The main context merges these saves, and reads this run's results from the saved records.
  ///
  /// - Parameters:
  ///   - feeds: The regions' feeds; see ``feeds(of:in:dueOnly:)``.
  ///   - main: The stack's main context.
  ///   - selection: The feeds to poll among them, and the user's settings.
  /// - Returns: The results, so far and with a ``ImportReport/failure`` if the import ended early.
  /// - Throws: ``ImportFailure`` if the import could not begin.
  @MainActor
  public func importNews(
    of feeds: ImportFeeds, in main: MainContext, selection: ImportSelection = ImportSelection()
  ) async throws(ImportFailure) -> ImportReport {
    do throws(StoreError) {
      return try await RegionImport(feeds, in: main, by: self, selection).run()
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
      try feeds(of: regions, in: main, dueOnly: selection.dueOnly)
    }
    return try await importNews(of: read, in: main, selection: selection)
  }
}
