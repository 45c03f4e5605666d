public import Foundation
internal import TextOutput

/// Stores request results between runs, so that a list can appear without querying an unchanged store.
///
/// Each entry is a file in a folder. It is valid only for the same request and the same state of the store:
/// the store's name, model version, newest transaction and that transaction's date. An entry that is stale,
/// damaged or from another request is ignored and replaced.
///
/// Results are not cached if the store has no history, if unsaved changes affect them, or if they come from
/// several stores. A program that writes to the store without recording history must delete the cache.
public struct FetchedResultsCache: Sendable {
  /// One controller's cache entry.
  public struct Entry: Sendable {
    let cache: FetchedResultsCache
    let name: String
  }

  private let folder: URL
  private let coordinator: PersistentStoreCoordinator

  /// Creates a cache in a folder, which is created when the first entry is written.
  ///
  /// - Parameters:
  ///   - folder: The folder, which must be used for nothing else.
  ///   - coordinator: The coordinator that the main context's changes are saved to. Its store's history
  ///     determines whether an entry is stale.
  public init(folder: URL, coordinator: PersistentStoreCoordinator) {
    self.folder = folder
    self.coordinator = coordinator
  }

  /// Returns the entry with a name, for one controller. Two lists should not share an entry.
  public func entry(named name: String) -> Entry { Entry(cache: self, name: name) }

  /// Deletes the entry with a name, if it exists.
  public func deleteCache(named name: String) {
    try? FileManager.default.removeItem(at: file(name))
  }

  private func file(_ name: String) -> URL {
    let plain = name.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "unnamed"
    return folder.appendingPathComponent("\(plain).fetched")
  }

  /// The store's state, for comparison; nil if it cannot be determined.
  func storeState() -> String? {
    guard let store = coordinator.onlyStore, let token = try? store.currentHistoryToken() else { return nil }
    // A recreated store numbers its transactions from 1 again; the newest transaction's date reveals this.
    let newest = try? store.history(after: HistoryToken(token.number - 1)).last
    let date = newest?.date.timeIntervalSince1970.bitPattern ?? 0
    return "\(coordinator.model.version) \(token.number) \(date) \(store.name)"
  }

  func results(named name: String, question: String, state: String) -> FetchedResults? {
    guard let content = try? Data(contentsOf: file(name)), content.count > 17,
      content.prefix(17) == Data(Self.seal(of: content.dropFirst(17)).utf8),
      let kept = try? JSONDecoder().decode(KeptResults.self, from: content.dropFirst(17)),
      kept.question.utf8.elementsEqual(question.utf8), kept.state == state
    else { return nil }
    return kept.results(of: coordinator.writtenStoreNumber)
  }

  func keep(_ results: FetchedResults, named name: String, question: String, state: String) {
    guard let kept = KeptResults(results, question: question, state: state),
      let content = try? JSONEncoder().encode(kept)
    else { return }
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    // An entry that cannot be written is missing in the next run, which then reads the store.
    try? (Data(Self.seal(of: content).utf8) + content).write(to: file(name), options: .atomic)
  }

  /// Returns a checksum that detects a damaged file: 64-bit FNV-1a, as 16 hexadecimal digits and a line feed.
  private static func seal(of content: Data) -> String { FNV1a(content).digits + "\n" }
}

extension FetchedResultsController {
  /// Returns a request's cached results. Otherwise reads the results from the store and caches them.
  func fetchResults(
    _ asked: FetchedQuery
  ) throws(StoreError) -> (FetchedResults, FetchedKeys?) {
    let isWhole = request.batchSize <= 0
    guard let cache, !main.context.hasUnsaved(asked.query),
      // Read the state before the rows: a save in between then makes the entry stale, not wrong.
      let state = cache.cache.storeState()
    else { return try readResults(asked, isWhole: isWhole) }
    let question = asked.query.withoutForeignIDs(in: main.writtenStoreNumber).question(main.context.model)
    if let kept = cache.cache.results(named: cache.name, question: question, state: state) {
      return (kept, nil)
    }
    let (results, keys) = try readResults(asked, isWhole: isWhole)
    cache.cache.keep(results, named: cache.name, question: question, state: state)
    return (results, keys)
  }
}

/// A cache file's content.
private struct KeptResults: Codable {
  struct Section: Codable {
    let value: Value
    let keys: [Int64]
  }

  enum Value: Codable {
    case null
    case integer(Int64)
    case real(Double)
    case date(Double)
    case text(String)
    case bytes([UInt8])
  }

  let question: String
  let state: String
  let entity: EntityIndex
  let sections: [Section]

  /// Creates the content; nil if an object has a temporary ID or the section values are references.
  init?(_ results: FetchedResults, question: String, state: String) {
    guard results.ids.allSatisfy({ !$0.isTemporary }) else { return nil }
    self.question = question
    self.state = state
    entity = results.ids.first?.entity ?? 0
    var sections: [Section] = []
    for section in results.sections {
      let value: Value
      switch section.value {
      case .null: value = .null
      case .integer(let number): value = .integer(number)
      case .real(let number): value = .real(number)
      case .date(let seconds): value = .date(seconds)
      case .text(let text): value = .text(text)
      case .bytes(let bytes): value = .bytes(bytes)
      case .reference: return nil
      }
      sections.append(Section(value: value, keys: results.ids[section.range].map(\.key)))
    }
    self.sections = sections
  }

  func results(of store: StoreNumber) -> FetchedResults {
    FetchedResults(
      sections.map { section in
        let value: AttributeValue =
          switch section.value {
          case .null: .null
          case .integer(let number): .integer(number)
          case .real(let number): .real(number)
          case .date(let seconds): .date(seconds)
          case .text(let text): .text(text)
          case .bytes(let bytes): .bytes(bytes)
          }
        return (value, section.keys.map { ManagedObjectID(entity: entity, store: store, key: $0) })
      })
  }
}
