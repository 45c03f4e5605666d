import Testing
import TextSearch

@Suite struct SearchStateTests {
  private typealias History = SearchState.History

  private func step(
    _ history: SearchState.History, scanned: Int64? = nil, dead: Int = 0, rows: Int = 100
  ) -> SearchState.Step {
    SearchState(token: 5, mark: 77, scanned: scanned, dead: dead).step(history, rows: rows)
  }

  @Test func `a complete index is left unchanged, even if the history was purged`() {
    #expect(step(History(newest: 5, oldest: 1, mark: 77)) == .nothing)
    #expect(step(History(newest: 5, oldest: nil, mark: nil)) == .nothing)
  }

  @Test func `later transactions are followed as long as all of them are kept`() {
    #expect(step(History(newest: 7, oldest: 6, mark: nil)) == .follow)
    #expect(step(History(newest: 7, oldest: 7, mark: nil)) == .scanAll)
    #expect(step(History(newest: 7, oldest: nil, mark: nil)) == .scanAll)
  }

  @Test func `all rows are indexed before transactions are followed`() {
    #expect(step(History(newest: 7, oldest: 1, mark: 77), scanned: 40) == .scan(after: 40))
  }

  @Test func `the index of another file is not used`() {
    #expect(step(History(newest: 4, oldest: 1, mark: nil)) == .startOver)
    #expect(step(History(newest: 9, oldest: 1, mark: 78)) == .startOver)
  }

  @Test func `an index is created again when a fifth of its rows have no document`() {
    let history = History(newest: 5, oldest: 1, mark: 77)
    #expect(step(history, dead: 60, rows: 100) == .nothing)
    #expect(step(history, dead: 1_001, rows: 5_005) == .nothing)
    #expect(step(history, dead: 1_002, rows: 5_005) == .startOver)
  }
}
