/// An error for what a test has waited for in vain.
public struct WaitedInVain: Error {
  public let event: String
}

/// Waits until a condition holds.
///
/// - Parameters:
///   - event: What the test waits for.
///   - meanwhile: Is called until then, again and again.
/// - Throws: ``WaitedInVain`` after two minutes: a test that waits for ever would keep all tests from ending.
public func until(
  _ event: String, _ condition: () throws -> Bool, isolation: isolated (any Actor)? = #isolation,
  meanwhile: () async throws -> Void = { await Task.yield() }
) async throws {
  let end = ContinuousClock.now + .seconds(120)
  while try !condition() {
    guard ContinuousClock.now < end else { throw WaitedInVain(event: event) }
    try await meanwhile()
  }
}
