import ManagedContext

/// One way to arrange contexts around an import.
@MainActor
protocol Design: AnyObject {
  /// The context that the program's windows would read from; nil in the control.
  var main: MainContext? { get }

  /// Imports everything, and returns after every record is in the store.
  ///
  /// This method runs on the main queue, which is free whenever the method awaits something.
  func run(_ workload: Workload) async throws
}

/// The designs by the names that the command and its results use.
enum DesignName: String, CaseIterable, Codable, Sendable {
  case control
  case blocking
  case notification
  case parentChild = "parent-child"
  case asyncWriter = "async-writer"
  case rootUIWorkers = "root-ui-workers"
  /// Saves rows without creating objects, like the importer. It runs only if it is requested by name.
  case rootUIWorkersUpsert = "root-ui-workers-upsert"

  /// The designs that run by default.
  static let usual: [DesignName] = [
    .control, .blocking, .notification, .parentChild, .asyncWriter, .rootUIWorkers,
  ]

  /// Creates a design and its contexts.
  ///
  /// - Parameter niceness: The niceness of all threads other than the main queue's.
  @MainActor
  func makeDesign(
    over coordinator: PersistentStoreCoordinator, niceness: Int32, load: ControlLoad.Load
  ) -> any Design {
    switch self {
    case .control: ControlLoad(load, niceness: niceness)
    case .blocking: BlockingDesign(coordinator)
    case .notification: NotificationDesign(coordinator, niceness: niceness)
    case .parentChild: ParentChildDesign(coordinator, niceness: niceness)
    case .asyncWriter: AsyncWriterDesign(coordinator, niceness: niceness)
    case .rootUIWorkers: RootUIWorkersDesign(coordinator, niceness: niceness)
    case .rootUIWorkersUpsert: RootUIWorkersDesign(coordinator, niceness: niceness, savesRows: true)
    }
  }
}
