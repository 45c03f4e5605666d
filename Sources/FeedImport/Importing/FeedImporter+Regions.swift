public import ManagedContext

extension FeedImporter {
  /// Finds the feeds of regions that an import may poll.
  ///
  /// - Parameters:
  ///   - regions: The regions; deleted ones are skipped.
  ///   - main: The main context of the stack.
  ///   - dueOnly: True to find only feeds that are due. The cost does not depend on the others then.
  @MainActor
  public func feeds(
    of regions: [ManagedObjectID], in main: MainContext, dueOnly: Bool
  ) throws(StoreError) -> ImportFeeds {
    try ImportFeeds(of: regions, dueAt: dueOnly ? options.now() : nil, in: main.context)
  }

  /// Imports the news of regions.
  ///
  /// The main context decides which feeds may be polled. Workers poll the claimed feeds and save their articles. The main
  /// context merges these saves, and reads the results of this run from the records among them.
  ///
  /// - Parameters:
  ///   - feeds: The feeds of the regions; see ``feeds(of:in:dueOnly:)``.
  ///   - main: The main context of the stack.
  ///   - selection: The feeds to poll among them, and the user's settings.
  /// - Returns: The results. An import that ended early has a ``ImportReport/failure``, and the results until then.
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

  /// Imports the news of regions; see ``importNews(of:in:selection:)``.
  ///
  /// - Parameters:
  ///   - regions: The regions; deleted ones are skipped.
  ///   - main: The main context of the stack.
  ///   - selection: The feeds to poll among theirs, and the user's settings.
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
