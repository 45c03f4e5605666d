import Dispatch
import Foundation

/// The queue that a context and its objects belong to, for the checks that the compiler cannot make.
enum ContextQueue: Sendable {
  /// The thread of a ``BackgroundContext``.
  case thread(ThreadExecutor)
  /// The main queue, of a ``MainContext``.
  case main
  /// Wherever the context was made: it has no owner, and the compiler alone keeps it there.
  case unowned

  /// What messages call the queue; nil for none.
  var name: String? {
    switch self {
    case .thread(let executor): executor.name
    case .main: "main"
    case .unowned: nil
    }
  }

  /// Stops the program when the caller is on another queue, naming both: an object or context was smuggled out,
  /// through a C callback for example.
  func check() {
    switch self {
    case .thread(let executor):
      if !executor.isCurrent { fail() }
    case .main:
      if !Self.isMainQueue { fail() }
    case .unowned: break
    }
  }

  private func fail() -> Never {
    let name = name ?? ""
    let here = Thread.current.name ?? ""
    preconditionFailure(
      "this context belongs to the queue “\(name)”, and was used on “\(here.isEmpty ? "another" : here)”")
  }

  /// Whether the caller runs on the main queue; after a first suspension that need not be the process's first thread.
  static var isMainQueue: Bool { DispatchQueue.getSpecific(key: mainQueueKey) != nil }

  /// Prepares the check for the main queue; once is enough.
  static func markMainQueue() {
    DispatchQueue.main.setSpecific(key: mainQueueKey, value: ())
  }
}

private let mainQueueKey = DispatchSpecificKey<Void>()
