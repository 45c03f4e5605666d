import Foundation
import TestSupport
import Testing

/// The compiler enforces confinement: it must refuse each snippet for the reason that the snippet names.
///
/// The snippets are compiled as most users compile, without treating warnings as errors.
@Suite struct ConfinementTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()

  static let snippets = files(in: "MustNotCompile")
  static let unseen = files(in: "NotSeen")

  private static func files(in name: String) -> [String] {
    let names = try? FileManager.default.contentsOfDirectory(atPath: folder.appendingPathComponent(name).path)
    return (names ?? []).filter { $0.hasSuffix(".swift.txt") }.sorted().map { "\(name)/\($0)" }
  }

  @Test func `the folder of snippets is not empty`() {
    #expect(Self.snippets.count >= 14 && Self.unseen.count >= 5)
  }

  @Test(arguments: snippets) func `the compiler refuses to share an object, or warns of it`(
    snippet: String
  ) async throws {
    let source = try source(snippet)
    let warning = expectation("// warn: ", in: source)
    let expected = try #require(warning ?? expectation("// expect: ", in: source))
    let (status, output) = try await compile(source)
    #expect((status == 0) == (warning != nil))
    #expect(output.contains(warning == nil ? "error: " : "warning: "))
    #expect(output.contains(expected), "refused for another reason: \(output)")
    if warning != nil {
      #expect(try await compile(source, ["-warnings-as-errors"]).0 != 0)
    }
  }

  @Test(arguments: unseen) func `the compiler misses the cases that the documentation names`(
    snippet: String
  ) async throws {
    let (status, output) = try await compile(try source(snippet))
    #expect(status == 0 && output == "", "the compiler detects it now: update Confinement.md")
  }

  @Test func `the same code with IDs compiles`() async throws {
    let (status, output) = try await compile(try source("MustNotCompile/control.must-compile.txt"))
    #expect(status == 0 && output == "")
  }

  private func source(_ name: String) throws -> String {
    try String(contentsOf: Self.folder.appendingPathComponent(name), encoding: .utf8)
  }

  private func expectation(_ mark: String, in source: String) -> Substring? {
    source.split(separator: "\n").first { $0.hasPrefix(mark) }?.dropFirst(mark.count)
  }

  /// Compiles a file to SIL, because region isolation is checked there and not during type checking.
  private func compile(_ source: String, _ more: [String] = []) async throws -> (Int32, String) {
    let folder = try TemporaryFolder()
    let file = try folder.write("snippet.swift", source.utf8)
    let result = try await Command.run(
      "swiftc",
      [
        "-emit-sil", "-swift-version", "6", "-parse-as-library", "-o", "/dev/null", file,
      ] + Repository.imports + more)
    return (result.status, result.err)
  }
}
