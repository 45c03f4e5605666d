import Testing

@testable import ArticleDocuments
@testable import NewsCommand

@Suite struct ArticleNumberTests {
  @Test(
    arguments: [
      (7411, [4711]), (44711, [4711]), (47119, [4711]), (471, [4711]), (4718, [4711]), (9, []), (98765, []),
    ] as [(Int64, [Int64])])
  func `the likely number is found for a mistyped one`(typed: Int64, meant: [Int64]) {
    #expect(ArticleNumber.meant(by: typed, among: [4711, 12]) == meant)
  }

  @Test func `swapped digits are likelier than a wrong digit`() {
    #expect(ArticleNumber.meant(by: 21, among: [12, 22, 23, 24, 20]) == [12])
    #expect(ArticleNumber.meant(by: 21, among: [22, 23, 24, 20]) == [])
    #expect(ArticleNumber.meant(by: 321, among: [322, 323, 324, 320]) == [])
    #expect(ArticleNumber.meant(by: .max, among: [1]) == [])
  }

  @Test func `numbers are read from arguments and from lines`() throws {
    let lines = Array("3\n\n 4 \r\n\r\n".utf8)
    #expect(try ArticleNumber.all(["7", "-", "8"]) { lines }.map(\.description) == ["7", "3", "4", "8"])
    #expect(throws: (any Error).self) { try ArticleNumber.all(["x"]) { [] } }
    #expect(throws: CommandFailure.self) { try ArticleNumber.all(["-"]) { Array("1\nx\n".utf8) } }
  }
}
