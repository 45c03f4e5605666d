import Foundation
import Testing

@Suite struct PageTests {
  @Test func `the example of the macro's page compiles`() throws {
    let root = URL(fileURLWithPath: #filePath).pathComponents.dropLast(5).joined(separator: "/")
    let page = try String(
      contentsOfFile: root + "/Sources/ManagedContext/ManagedContext.docc/EntityMacro.md", encoding: .utf8)
    let examples = page.components(separatedBy: "```swift\n").dropFirst().compactMap {
      $0.components(separatedBy: "\n```").first
    }
    #expect(examples.count == 1)
    for example in examples { #expect(try Compiler.check("import Foundation\n" + example).errors == "") }
  }
}
