/// Limits the number of programs that run at once, however many tests run in parallel. Without it, each program would
/// take as long as all together, and timeouts would expire.
actor Turns {
  static let ofCommands = Turns(8)

  /// True if a caller already has a turn: a second program of the same test does not wait.
  @TaskLocal private static var isTaken = false

  private var free: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  private init(_ count: Int) {
    free = count
  }

  /// Runs `body` when its turn comes.
  nonisolated func take<Value: Sendable>(
    _ body: @Sendable () async throws -> Value
  ) async rethrows -> Value {
    if Self.isTaken { return try await body() }
    await begin()
    do {
      let value = try await Self.$isTaken.withValue(true) { try await body() }
      await end()
      return value
    } catch {
      await end()
      throw error
    }
  }

  private func begin() async {
    if free > 0 {
      free -= 1
    } else {
      await withCheckedContinuation { waiting.append($0) }
    }
  }

  private func end() {
    if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
  }
}
