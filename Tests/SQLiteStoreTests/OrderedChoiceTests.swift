import ManagedContext
import Testing

@testable import SQLiteStore

@Suite struct OrderedChoiceTests {
  @Test func `a few rows are read and sorted, even if the query names many others`() {
    #expect(OrderedChoice.enough(rows: 0, others: 10) == nil)
    #expect(OrderedChoice.enough(rows: 20_000, others: 1) == nil)
    #expect(OrderedChoice.enough(rows: 1_000_000, others: 0) == nil)
  }

  @Test func `the query follows the order if the named parents have more than a few rows`() {
    #expect(OrderedChoice.enough(rows: 1_000_000, others: 20_000) == 401)
    #expect(OrderedChoice.enough(rows: 5_000_000, others: 2) == 1)
    #expect(OrderedChoice.enough(rows: .max, others: .max) == 20_001)
  }

  @Test func `the query follows the order if a fifth of the rows is named`() {
    #expect(OrderedChoice.enough(ofRows: 20_000) == nil)
    #expect(OrderedChoice.enough(ofRows: 50_000) == 20_001)
    #expect(OrderedChoice.enough(ofRows: 1_000_000) == 200_001)
  }
}
