import Testing

@testable import NewsCommand

@Suite struct CommandPathTests {
  @Test func `the words that call a command are those of its description`() throws {
    let program = try CommandDescription.of(NewsImport.self)
    let calls = program.leaves().map { $0.name.split(separator: " ").dropFirst().map(String.init) }
    #expect(calls.count > 20)
    let others = [
      [], ["help"], ["help", "list"], ["region"], ["region", "help"], ["region", "x", "add"], ["x", "list"],
      ["--version"], ["--store", "list"],
    ]
    for words in calls + calls.map({ $0 + ["world", "--json"] }) + others {
      #expect(NewsImport.path(of: words) == program.call(by: words).path)
    }
  }
}
