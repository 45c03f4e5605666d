import Testing

@testable import ArticleDocuments
@testable import NewsCommand

@Suite struct ArticleNumberTests {
  @Test func `numbers are read from arguments and from lines`() throws {
    let lines = Array("3\n\n 4 \r\n\r\n".utf8)
    #expect(try ArticleNumber.all(["7", "-", "8"]) { lines }.map(\.description) == ["7", "3", "4", "8"])
    #expect(throws: (any Error).self) { try ArticleNumber.all(["x"]) { [] } }
    #expect(throws: CommandFailure.self) { try ArticleNumber.all(["-"]) { Array("1\nx\n".utf8) } }
  }
}
