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
    var seen: Set<ObjectIdentifier> = []
    let all = listeners.values.joined().compactMap(\.listener)
    for listener in all where seen.insert(ObjectIdentifier(listener)).inserted { listener.catchUp() }
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
