/// Lets only so many programs run at once, however many tests run in parallel: started all together, each would take as
/// long as all of them, and what waits for a timeout of its own would meet it.
actor Turns {
  static let ofCommands = Turns(8)

  /// Whether a turn was taken further out: a program that runs beside another of its test waits for nobody.
  @TaskLocal private static var isTaken = false

  private var free: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  private init(_ count: Int) {
    free = count
  }

  /// Runs `body` when it is its turn.
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
