import ArgumentParser

/// A command that runs on the main actor, to which the store's main context and the output belong.
protocol MainCommand: AsyncParsableCommand {
  /// Runs the command with its parsed options.
  ///
  /// - Throws: ``CommandFailure``, or `ValidationError` for a mistake in the options.
  @MainActor func perform() async throws
  /// True if it needs the threads of a command that saves.
  static var needsThreads: Bool { get }
}

extension MainCommand {
  @MainActor
  func run() async throws {
    (self as? any PagedCommand)?.preparePager()
    try await perform()
  }
  static var needsThreads: Bool { Self.self is any SavingCommand.Type }
}

/// A command that changes the store before it prints.
protocol SavingCommand: MainCommand {}
