import Testing

@testable import TextOutput

@Suite struct NaturalOrderTests {
  @Test func `digits in names count as numbers`() {
    let ordered = [
      "", "2", "10", "10a", "Region", "region", "region 02", "region 2", "region 2 b", "region 10",
      "region 10 2", "region 10 10", "region 99999999999999999999999999", "region x", "région",
    ]
    #expect(ordered.reversed().sorted(by: precedesInLists) == ordered)
    for (place, name) in ordered.enumerated() {
      for (other, second) in ordered.enumerated() {
        #expect(precedesInLists(name, second) == (place < other), "\(name), \(second)")
      }
    }
  }
}
