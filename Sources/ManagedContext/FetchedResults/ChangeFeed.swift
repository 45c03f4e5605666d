import Dispatch

/// Notes what changes in a main context, and lets those who show its objects catch up once a turn of the main queue.
@MainActor
final class ChangeFeed {
  /// Shows objects of some entities.
  @MainActor
  protocol Listener: AnyObject {
    /// An object came, went or changed; cheap, and nothing is read.
    ///
    /// - Parameter isUpdated: Whether its values may be others than those that are shown.
    func note(_ id: ManagedObjectID, isUpdated: Bool)

    /// All objects were forgotten: what is read of them from now on may be other than what is shown.
    func noteReset()

    /// Reads what was noted.
    func catchUp()
  }

  private struct WeakListener {
    weak var listener: (any Listener)?
  }

  private let context: ManagedObjectContext
  private var listeners: [EntityIndex: [WeakListener]] = [:]
  private var observation: ChangeObservation?
  private var isScheduled = false

  /// Begins to note.
  init(_ context: ManagedObjectContext) {
    self.context = context
    context.observeObjects { [weak self] in self?.note($0) }
    context.didReset = { [weak self] in self?.noteReset() }
    observation = context.notices.observe { [weak self] changes in
      // A context tells of its changes on its own queue.
      MainActor.assumeIsolated { self?.note(changes) }
    }
  }

  /// From now on a listener is told of these entities, and of no others.
  func listen(_ listener: any Listener, to entities: Set<EntityIndex>) {
    for entity in listeners.keys {
      listeners[entity]?.removeAll { $0.listener == nil || $0.listener === listener }
    }
    for entity in entities { listeners[entity, default: []].append(WeakListener(listener: listener)) }
  }

  /// Lets all listeners catch up now.
  func process() {
    for listener in all { listener.catchUp() }
  }

  /// The listeners, each once.
  private var all: [any Listener] {
    var seen: Set<ObjectIdentifier> = []
    return listeners.values.joined().compactMap(\.listener).filter {
      seen.insert(ObjectIdentifier($0)).inserted
    }
  }

  private func noteReset() {
    for listener in all { listener.noteReset() }
    schedule()
  }

  private func note(_ object: ManagedObject) {
    touch(object.id, isUpdated: true)
  }

  private func note(_ changes: ContextChanges) {
    guard !listeners.isEmpty else { return }
    for id in changes.deleted { touch(id, isUpdated: false) }
    // What is read already has been told by itself if its values are others now; of the rest nobody knows.
    for id in changes.updated.keys { touch(id, isUpdated: isUnread(id)) }
    for id in changes.inserted { touch(id, isUpdated: isUnread(id)) }
  }

  private func isUnread(_ id: ManagedObjectID) -> Bool {
    context.registeredObject(for: id)?.isFault ?? true
  }

  private func touch(_ id: ManagedObjectID, isUpdated: Bool) {
    guard let listening = listeners[id.entity], !listening.isEmpty else { return }
    for one in listening { one.listener?.note(id, isUpdated: isUpdated) }
    schedule()
  }

  private func schedule() {
    guard !isScheduled else { return }
    isScheduled = true
    DispatchQueue.main.async { [weak self] in
      MainActor.assumeIsolated {
        self?.isScheduled = false
        self?.process()
      }
    }
  }
}
