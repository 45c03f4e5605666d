import Foundation
import TestSupport
import Testing

/// Confinement is proved by the compiler: each snippet must be refused, for the reason that it names.
@Suite struct ConfinementTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("MustNotCompile")

  static let snippets =
    (try? FileManager.default.contentsOfDirectory(atPath: folder.path))?
    .filter { $0.hasSuffix(".swift.txt") }.sorted() ?? []

  @Test func `there are snippets to refuse`() {
    #expect(Self.snippets.count >= 14)
  }

  @Test(arguments: snippets) func `the compiler refuses what would share an object`(snippet: String)
    async throws
  {
    let source = try String(contentsOf: Self.folder.appendingPathComponent(snippet), encoding: .utf8)
    let expected = try #require(
      source.split(separator: "\n").first { $0.hasPrefix("// expect: ") }?.dropFirst("// expect: ".count))
    let (status, output) = try await compile(source)
    #expect(status != 0, "it compiles")
    #expect(output.contains("error: "))
    #expect(output.contains(expected), "refused for another reason: \(output)")
  }

  @Test func `the same with IDs compiles`() async throws {
    let control = Self.folder.appendingPathComponent("control.must-compile.txt")
    let (status, output) = try await compile(try String(contentsOf: control, encoding: .utf8))
    #expect(status == 0, "\(output)")
  }

  /// Compiles a file to SIL: region isolation is checked there, not while types are checked.
  private func compile(_ source: String) async throws -> (Int32, String) {
    let folder = try TemporaryFolder()
    let file = try folder.write("snippet.swift", source.utf8)
    let result = try await Command.run(
      "swiftc",
      [
        "-emit-sil", "-swift-version", "6", "-warnings-as-errors", "-parse-as-library", "-I",
        Command.builtProducts + "/Modules", "-o", "/dev/null", file,
      ])
    return (result.status, result.err)
  }
}
