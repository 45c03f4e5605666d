import Foundation
import Testing

@testable import ArticleHooks
@testable import NewsCommand

/// The decisions about hooks.
@Suite struct HookRulesTests {
  @Test func `the next attempt is after a minute, which doubles up to a day`() {
    let now = Date(timeIntervalSince1970: 1_000_000)
    let pauses = [1, 2, 3, 11, 12, 1_000_000, 0].map {
      HookBackoff.next(afterAttempts: $0, at: now).timeIntervalSince(now)
    }
    #expect(pauses == [60, 120, 240, 61_440, 86_400, 86_400, 60])
  }

  @Test func `an attempt further away than the longest pause is due, because a clock was ahead`() {
    let now = Date(timeIntervalSince1970: 1_000_000)
    #expect(HookBackoff.isDue(now, at: now))
    #expect(!HookBackoff.isDue(now + 1, at: now))
    #expect(!HookBackoff.isDue(now + 86400, at: now))
    #expect(HookBackoff.isDue(now + 86401, at: now))
    #expect(HookBackoff.isDue(now + 100 * 86400, at: now))
  }

  @Test(arguments: [
    HookError.notStarted(ENOENT), .noInterpreter, .exit(3, detail: "no disk"), .exit(1, detail: nil),
    .signal(9, detail: "x"), .timeout(60), .output, .system(EMFILE),
  ])
  func `a failure is stored as a code, a number and a text`(error: HookError) {
    let stored = error.stored
    #expect(HookError(code: stored.code, number: stored.number, detail: stored.detail) == error)
    #expect(HookError(code: stored.code + "?", number: stored.number, detail: stored.detail) == nil)
  }

  @Test func `a hook is put off after 20 failures in a row, and after 3 that reached a limit`() {
    var patience = HookPatience()
    for _ in 0..<19 { patience.note(.exit(1, detail: nil)) }
    #expect(!patience.isOver)
    patience.note(nil)
    for _ in 0..<19 { patience.note(.exit(1, detail: nil)) }
    #expect(!patience.isOver)
    patience.note(.signal(9, detail: nil))
    #expect(patience.isOver)
    patience.note(nil)
    for _ in 0..<2 { patience.note(.timeout(60)) }
    #expect(!patience.isOver)
    patience.note(.output)
    #expect(patience.isOver)
  }

  @Test func `an environment has what every program needs, and the variables of newsimport`() {
    let own = [
      "HOME": "/h", "SECRET": "x", "NEWSIMPORT_CONFIG": "/c", "NEWSIMPORT_STORE": "s", "TZ": "UTC",
      "LC_ALL": "C",
    ]
    let variables = HookEnvironment.variables(
      own, hook: "region.a.on_new", event: "1.2-00000000", store: "/s", configuration: "/d/c")
    #expect(
      variables == [
        "HOME": "/h", "NEWSIMPORT_CONFIG": "/d/c", "NEWSIMPORT_STORE": "/s", "TZ": "UTC",
        "PATH": "/usr/local/bin:/usr/bin:/bin", "NEWSIMPORT_HOOK": "region.a.on_new",
        "NEWSIMPORT_EVENT": "1.2-00000000",
      ])
  }
}
