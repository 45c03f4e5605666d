import ManagedContext
import Foundation
import NewsModel
import Testing

@testable import NewsCommand

@Suite struct ProgressLineTests {
  private let line: ProgressLine = {
    var line = ProgressLine(total: 214)
    line.answered = 161
    line.inserted = 64
    line.edited = 3
    line.failed = 2
    line.elapsed = 16.4
    line.slowest = ("blog.example.org", 4.1)
    return line
  }()

  @Test func `a wide terminal shows the whole line`() {
    #expect(
      line.text(columns: 140)
        == "[##################......] 161/214  9.8 feeds/s  64 new  3 edited  2 failed  ETA 6 s"
        + "   slowest: blog.example.org 4.1 s")
  }

  @Test(arguments: 0...160) func `a line is never wider than the terminal`(columns: Int) {
    #expect(line.text(columns: columns).count <= columns)
  }

  @Test func `a narrow terminal shows the parts that fit, in order`() {
    #expect(
      line.text(columns: 79) == "[#######...] 161/214  9.8 feeds/s  64 new  3 edited  2 failed  ETA 6 s")
    #expect(line.text(columns: 40) == "[#######...] 161/214  64 new  2 failed")
    #expect(line.text(columns: 32) == "[#######...] 161/214  2 failed")
  }

  @Test func `no remaining time is estimated in the first second or without answers`() {
    #expect(ProgressLine(total: 3).text(columns: 100) == "[........................] 0/3")
    var early = ProgressLine(total: 3, answered: 1, elapsed: 0.5)
    #expect(early.text(columns: 100) == "[########................] 1/3")
    early.answered = 3
    early.elapsed = 20
    #expect(early.text(columns: 100) == "[########################] 3/3  0.2 feeds/s")
    #expect(ProgressLine(total: 0).text(columns: 100).hasSuffix("0/0"))
  }

  @Test func `no remaining time is shown for the last feeds or when answers stop`() {
    var line = line
    #expect(line.text(columns: 140).contains("ETA 6 s"))
    line.silence = 2.5
    #expect(!line.text(columns: 140).contains("ETA"))
    line.silence = 0
    line.answered = 205
    #expect(!line.text(columns: 140).contains("ETA"))
    #expect(!ProgressLine(total: 4, answered: 3, elapsed: 20).text(columns: 140).contains("ETA"))
    // If answers are rare, a gap between them is normal.
    #expect(ProgressLine(total: 9, answered: 3, elapsed: 30, silence: 20).text(columns: 140).contains("ETA"))
  }

  @Test func `a hostile address cannot control the terminal`() {
    var line = ProgressLine(total: 3)
    line.slowest = ("a\u{1B}[2J\u{202E}b", 20)
    #expect(line.text(columns: 100).hasSuffix("slowest: a\\u001b[2J\\u202eb 20 s"))
  }
}
