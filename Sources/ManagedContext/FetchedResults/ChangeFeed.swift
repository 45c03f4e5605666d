import Dispatch

/// Records changes in a main context, and lets its listeners process them once per turn of the main queue.
@MainActor
final class ChangeFeed {
  /// An observer that displays objects of some entities.
  @MainActor
  protocol Listener: AnyObject {
    /// Records that an object was inserted, deleted or changed. The call is cheap and reads nothing.
    ///
    /// - Parameter isUpdated: True if the object's values may differ from the displayed ones.
    func note(_ id: ManagedObjectID, isUpdated: Bool)

    /// Records that the context was reset: values read from now on may differ from the displayed ones.
    func noteReset()

    /// Reads the recorded changes.
    func catchUp()
  }

  private struct WeakListener {
    weak var listener: (any Listener)?
  }

  private let context: ManagedObjectContext
  private var listeners: [EntityIndex: [WeakListener]] = [:]
  private var observation: ChangeObservation?
  private var isScheduled = false

  /// Starts recording the changes of a context.
  init(_ context: ManagedObjectContext) {
    self.context = context
    context.observeObjects { [weak self] in self?.note($0) }
    context.didReset = { [weak self] in self?.noteReset() }
    observation = context.notices.observe { [weak self] changes in
      // A context posts its changes on its own queue, which is the main queue here.
      MainActor.assumeIsolated { self?.note(changes) }
    }
  }

  /// Registers a listener for these entities, and removes it from all others.
  func listen(_ listener: any Listener, to entities: Set<EntityIndex>) {
    for entity in listeners.keys {
      listeners[entity]?.removeAll { $0.listener == nil || $0.listener === listener }
    }
    for entity in entities { listeners[entity, default: []].append(WeakListener(listener: listener)) }
  }

  /// Lets all listeners process their recorded changes now.
  func process() {
    for listener in all { listener.catchUp() }
  }

  /// The live listeners, without duplicates.
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
    // An object in memory has already reported itself if its values changed. A fault or unregistered object
    // has not.
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
