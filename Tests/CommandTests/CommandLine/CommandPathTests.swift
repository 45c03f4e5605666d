import Testing

@testable import NewsCommand

@Suite struct CommandPathTests {
  @Test func `the words that call a command are those of its description`() throws {
    let names = try CommandDescription.of(NewsImport.self).leaves().map(\.name)
    #expect(names.count > 20)
    for name in names {
      let words = name.split(separator: " ").dropFirst().map(String.init)
      #expect(NewsImport.path(of: words) == name)
      #expect(NewsImport.path(of: words + ["world", "--json"]) == name)
    }
  }

  @Test(arguments: [
    ([], "newsimport"), (["help", "list"], "newsimport help"), (["region", "x", "add"], "newsimport region"),
    (["--version"], "newsimport"), (["--store", "list"], "newsimport"),
  ]) func `other words end the path`(words: [String], path: String) {
    #expect(NewsImport.path(of: words) == path)
  }
}
