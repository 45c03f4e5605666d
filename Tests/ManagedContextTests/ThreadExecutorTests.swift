import ManagedContext
import TestSupport
import Testing

@Suite struct ThreadExecutorTests {
  @Test func `a thread that was waited for has let go of what it ran`() throws {
    let context = try LibraryStack().background()
    // The compiler checks at run time that the body did not escape; a thread that keeps it a moment too long
    // stops the program in one of some thousand times.
    var total = 0
    for number in 0..<20_000 { total += context.performAndWait { _ in number } }
    #expect(total == 19_999 * 20_000 / 2)
  }
}
