import Foundation
import ProgramLaws
import TestSupport
import Testing

/// The laws that the fuzzer checks for inputs besides documents, on examples and mutations of each.
@Suite(.serialized) struct ProgramLawTests {
  private static let configuration = """
    contact = "https://example.org/bot"
    [fetch]
    jobs = 8
    timeout = "2min"
    [retention]
    keep-last = 100
    [region.world]
    interval = "1h"
    [feed."https://example.org/feed.xml"]
    headers = { Authorization = { env = "TOKEN" } }
    """

  private static let head = """
    HTTP/1.1 200 OK\r
    ETag: "abc"\r
    Last-Modified: Wed, 03 Feb 2010 17:23:16 GMT\r
    Cache-Control: max-age=3600, must-revalidate\r
    Retry-After: 120\r
    Expires: Thu, 01 Dec 2033 16:00:00 GMT\r
    \r

    """

  /// A gzip member with one stored block: "body".
  private static let coded: [UInt8] = [
    3, 0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 1, 4, 0, 0xFB, 0xFF, 0x62, 0x6F, 0x64, 0x79, 0xDB, 0x94, 0xE5,
    0xAD, 4, 0, 0, 0,
  ]

  @Test(arguments: [
    (ProgramLaw.config, Array(configuration.utf8)), (.headers, Array(head.utf8)), (.codings, coded),
    (.words, Array(#"storm OR (title:"the sea" -calm*) AND tag:news"#.utf8)),
  ]) func `a law holds for an example and its mutations`(law: ProgramLaw, example: [UInt8]) throws {
    for seed in 0..<200 as Range<UInt64> { _ = try law.check(example.mutated(seed: seed)) }
  }

  @Test(arguments: [ProgramLaw.cells, .index], 0..<20 as Range<UInt64>)
  func `a law of damaged files holds for random changes`(law: ProgramLaw, seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    _ = try law.check((0..<40).map { _ in UInt8.random(in: 0...255, using: &random) })
  }

  private static let found: [(law: ProgramLaw, url: URL)] = ProgramLaw.allCases.flatMap { law in
    let folder = Repository.folder.appending(path: "Tools/Fuzz/Found/\(law.rawValue)")
    let files = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    return (files ?? []).map { (law, $0) }
  }

  @Test func `inputs that once broke a law keep it now`() throws {
    for (law, url) in Self.found { _ = try law.check(Array(try Data(contentsOf: url))) }
  }
}
