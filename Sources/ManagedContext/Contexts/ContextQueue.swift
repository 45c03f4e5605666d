import Dispatch
import Foundation

/// The queue that a context and its objects are confined to, for the checks that the compiler cannot make.
enum ContextQueue: Sendable {
  /// A ``BackgroundContext``'s thread.
  case thread(ThreadExecutor)
  /// The main queue, for a ``MainContext``.
  case main
  /// The place where the context was created: it has no owner, and only the compiler confines it.
  case unowned

  /// The queue's name in messages; nil without a name.
  var name: String? {
    switch self {
    case .thread(let executor): executor.name
    case .main: "main"
    case .unowned: nil
    }
  }

  /// Stops the program if the caller is on another queue, and names both queues.
  ///
  /// This happens if an object or context left its queue unnoticed by the compiler, for example through a C
  /// callback.
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

  /// True if the caller runs on the main queue. After a first suspension it need not be on the process's
  /// first thread.
  static var isMainQueue: Bool { DispatchQueue.getSpecific(key: mainQueueKey) != nil }

  /// Prepares the check for the main queue. Further calls have no effect.
  static func markMainQueue() {
    DispatchQueue.main.setSpecific(key: mainQueueKey, value: ())
  }
}

private let mainQueueKey = DispatchSpecificKey<Void>()
