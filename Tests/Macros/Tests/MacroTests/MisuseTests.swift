import Foundation
import Testing

/// The compiler must refuse each mistake at its line, with the words beside it, and nothing else.
@Suite struct MisuseTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("Misuse")

  static let files = ["classes", "properties", "relationships", "types"]

  @Test func `every file is compiled`() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
    #expect(names.sorted() == Self.files.map { $0 + ".swift.txt" })
  }

  @Test(arguments: files) func `mistakes are refused in words at their lines`(name: String) throws {
    let source = try String(
      contentsOf: Self.folder.appendingPathComponent(name + ".swift.txt"), encoding: .utf8)
    let expected = zip(1..., source.components(separatedBy: "\n")).flatMap { number, line in
      line.components(separatedBy: "  // error: ").dropFirst().map { "\(number): \($0)" }
    }
    let errors = try Compiler.check(source).errors.components(separatedBy: "\n").compactMap(error)
    #expect(errors.sorted() == expected.sorted())
  }

  /// Returns an error with its line in the file, or with its place in an expansion; nil for another line.
  private func error(in line: String) -> String? {
    let parts = line.components(separatedBy: ": error: ")
    guard parts.count == 2, !line.hasPrefix(" ") else { return nil }
    let message = parts[1].components(separatedBy: " (from macro ")[0]
    let place = parts[0].components(separatedBy: ":")
    return place[0].hasSuffix(Compiler.fileName) ? "\(place[1]): \(message)" : "\(parts[0]): \(message)"
  }
}
