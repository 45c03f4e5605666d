import ArgumentParser

/// A command that runs on the main actor, to which the store's main context and the output belong.
protocol MainCommand: AsyncParsableCommand {
  /// Runs the command with its parsed options.
  ///
  /// - Throws: ``CommandFailure``, or `ValidationError` for a mistake in the options.
  @MainActor func perform() async throws
}

extension MainCommand {
  @MainActor
  func run() async throws { try await perform() }
}

/// A command that changes the store before it prints.
protocol SavingCommand: MainCommand {}
