import Foundation
import TestSupport
import Testing

@Suite struct ICUDataTests {
  /// The parts of Foundation that need the data of ICU, which the installed program does not have (CEmptyICU.c).
  private static let needing = [
    "Formatter", "FormatStyle", ".formatted(", "Calendar", "TimeZone", "Locale(identifier", "Locale.",
    // libcurl reads names of hosts outside ASCII without it.
    "URL(string:", "URLComponents",
    ".localizedC", ".localizedLowercase", ".localizedS", ".localizedUppercase", "String(localized",
    ".capitalized",
    ".folding(", "applyingTransform", "NSRegularExpression", ".regularExpression", "enumerateSubstrings",
  ]

  @Test func `the program uses no part of Foundation that needs the data of languages`() throws {
    let sources = Repository.folder.appending(path: "Sources")
    let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
    var count = 0
    for case let file as URL in files where file.pathExtension == "swift" {
      let text = try Data(contentsOf: file)
      count += 1
      #expect(Self.needing.filter { text.range(of: Data($0.utf8)) != nil } == [], "\(file.lastPathComponent)")
    }
    #expect(count > 400)
  }
}
