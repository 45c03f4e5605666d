import NewsModel
import Testing
import WebAddress

@Suite struct ListedRegionsTests {
  private func list(_ regions: [(String, [String])]) -> ListedRegions {
    ListedRegions(
      regions.map { .init(region: $0.0, urls: $0.1.map { WebAddress("https://\($0).example/") }) })
  }

  @Test func `a difference has the feeds that the other list lacks in the same region`() {
    let (old, new) = (list([("x", ["a", "b"]), ("y", ["a"])]), list([("y", ["a", "b"]), ("x", ["a"])]))
    #expect(old.subtracting(new) == list([("x", ["b"])]))
    #expect(new.subtracting(old) == list([("y", ["b"])]))
    #expect(old.subtracting(old).lists.isEmpty)
    #expect(old.subtracting(list([])) == old)
  }

  @Test(arguments: [
    (["a", "b"], ["a", "b", "c"], false), (["a", "b"], ["a"], false), (["a", "b", "c"], ["a"], true),
    (["a"], ["b"], true), ([], ["a"], false), ([], [], false),
  ]) func `a list is mostly lost if more than half of its feeds are missing`(
    old: [String], new: [String], isLost: Bool
  ) {
    #expect(list([("x", old)]).isMostlyLost(in: list([("x", new)])) == isLost)
  }
}
