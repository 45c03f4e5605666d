import ManagedContext
import Testing

@testable import SQLiteStore

@Suite struct OrderedChoiceTests {
  @Test func `a few rows are read and sorted, however many others are named`() {
    #expect(OrderedChoice.enough(rows: 0, others: 10) == nil)
    #expect(OrderedChoice.enough(rows: 20_000, others: 1) == nil)
    #expect(OrderedChoice.enough(rows: 1_000_000, others: 0) == nil)
  }

  @Test func `of many rows the order is followed where others are named that have more than a few of them`() {
    #expect(OrderedChoice.enough(rows: 1_000_000, others: 20_000) == 401)
    #expect(OrderedChoice.enough(rows: 5_000_000, others: 2) == 1)
    #expect(OrderedChoice.enough(rows: .max, others: .max) == 20_001)
  }
}
