public import Foundation

/// Keeps the results of requests between runs, so that a list is there without asking an unchanged store.
///
/// Each is a file in a folder. It counts only for the same request to the same state of the store: its name, model
/// version, newest transaction and the date of that. One that is stale, damaged or of another request is ignored
/// and replaced. A store without history is never kept, nor are results with unsaved changes or of several stores.
/// Who writes the store past its history, with another program, has to delete the cache.
public struct FetchedResultsCache: Sendable {
  /// One controller's results in a cache.
  public struct Entry: Sendable {
    let cache: FetchedResultsCache
    let name: String
  }

  private let folder: URL
  private let coordinator: PersistentStoreCoordinator

  /// Keeps files in a folder, which is made when there is something to keep.
  ///
  /// - Parameters:
  ///   - folder: The folder; nobody else keeps files in it.
  ///   - coordinator: Where the main context's changes end, and whose history tells whether they are stale.
  public init(folder: URL, coordinator: PersistentStoreCoordinator) {
    self.folder = folder
    self.coordinator = coordinator
  }

  /// The results of a name, for one controller; no two lists should share one.
  public func entry(named name: String) -> Entry { Entry(cache: self, name: name) }

  /// Forgets the results of a name; nothing happens when there are none.
  public func deleteCache(named name: String) {
    try? FileManager.default.removeItem(at: file(name))
  }

  private func file(_ name: String) -> URL {
    let plain = name.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "unnamed"
    return folder.appendingPathComponent("\(plain).fetched")
  }

  /// The state of the store, for comparing; nil where there is no telling.
  func storeState() -> String? {
    guard let store = coordinator.onlyStore, let token = try? store.currentHistoryToken() else { return nil }
    // A store that was made anew counts from 1 again; it does not do so at the same instant.
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
    // A cache that cannot be written is one that is not there the next time.
    try? (Data(Self.seal(of: content).utf8) + content).write(to: file(name), options: .atomic)
  }

  /// Tells a damaged file from a whole one: FNV-1a of 64 bits, in 16 digits and a line feed.
  private static func seal(of content: Data) -> String {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in content { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits + "\n"
  }
}

extension FetchedResultsController {
  /// What the cache has for a request, else what the store has; the cache keeps that.
  func fetchResults(
    _ asked: FetchedQuery
  ) throws(StoreError) -> (FetchedResults, FetchedKeys?) {
    let isWhole = request.batchSize <= 0
    guard let cache, !main.context.hasUnsaved(asked.query),
      // Asked before the rows are read: what is saved in between makes the cache stale, not wrong.
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

/// Results in a file.
private struct KeptResults: Codable {
  struct Section: Codable {
    let value: Value
    let keys: [Int64]
  }

  enum Value: Codable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case bytes([UInt8])
  }

  let question: String
  let state: String
  let entity: EntityIndex
  let sections: [Section]

  /// Nil for what cannot be kept: objects that have no key in the store, sections by object.
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
          case .text(let text): .text(text)
          case .bytes(let bytes): .bytes(bytes)
          }
        return (value, section.keys.map { ManagedObjectID(entity: entity, store: store, key: $0) })
      })
  }
}
