internal import Foundation
internal import ManagedContext

/// The server's clock: its time when the store was opened, plus the time passed since then on this machine's
/// steady clock. A wrong time of day on this machine has no effect.
struct ServerClock: Sendable {
  private let opened: Date
  private let since = ContinuousClock.now

  init(_ connection: Connection, name: String) throws(StoreError) {
    do throws(ServerError) {
      let time = try connection.run(
        Statement("SELECT extract(epoch FROM clock_timestamp())::double precision"), prepares: false)
      opened = Date(timeIntervalSince1970: time.real(0, 0) ?? 0)
    } catch {
      throw StoreError(error, store: name)
    }
  }

  func now() -> Date {
    let passed = ContinuousClock.now - since
    return opened.addingTimeInterval(
      TimeInterval(passed.components.seconds) + TimeInterval(passed.components.attoseconds) * 1e-18)
  }
}
