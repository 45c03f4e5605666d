public import Foundation

/// The context of the main queue: reads for people, and learns of what others saved.
///
/// Saves of other contexts are merged together, at most once an interval, so that a storm of small saves makes
/// one update of what a person sees.
@MainActor
public final class MainContext {
  /// The objects; they never leave the main queue.
  public let context: ManagedObjectContext
  /// The time between two merges, in seconds; a merge also ends a ``flush()``.
  public var mergeInterval: TimeInterval = 1
  /// Called after each merge with what changed, on the main queue.
  public var didMerge: ((ContextChanges) -> Void)?

  private let root: RootContext
  private let coalescer = ChangeCoalescer()
  private var observation: Int?
  private var isMergeScheduled = false

  /// Makes a context that is a child of `root` and merges what its other children save.
  public init(root: RootContext) {
    self.root = root
    context = ManagedObjectContext(parent: root)
    let coalescer = coalescer
    observation = root.addObserver { [weak self] changes in
      guard coalescer.add(changes) else { return }
      DispatchQueue.main.async { MainActor.assumeIsolated { self?.scheduleMerge() } }
    }
  }

  isolated deinit {
    if let observation { root.removeObserver(observation) }
  }

  /// Merges what was saved until now, without waiting for the interval.
  ///
  /// - Throws: What kept the store from being read; what was not merged comes with the next merge.
  public func flush() throws(StoreError) {
    let changes = coalescer.take()
    guard !changes.isEmpty else { return }
    do {
      try context.mergeChanges(from: changes)
    } catch {
      _ = coalescer.add(changes)
      throw error
    }
    didMerge?(changes)
  }

  /// Saves and waits for the store.
  ///
  /// - Throws: What kept the store from taking the changes; they are in the context still.
  /// - Returns: What changed; empty when there was nothing to save.
  @discardableResult
  public func save() async throws(StoreError) -> ContextChanges {
    try await context.save { root.flush() }
  }

  private func scheduleMerge() {
    guard !isMergeScheduled else { return }
    isMergeScheduled = true
    DispatchQueue.main.asyncAfter(deadline: .now() + mergeInterval) { [weak self] in
      MainActor.assumeIsolated {
        self?.isMergeScheduled = false
        // A store that cannot be read now is asked again with the next merge; flush() reports it at the end.
        try? self?.flush()
      }
    }
  }
}
