import Testing

@testable import NewsModel

/// Which articles with the same page are copies of one story.
@Suite struct StoryLikenessTests {
  private func areCopies(
    _ one: (String?, String), _ other: (String?, String)
  ) -> Bool {
    let (first, second) = (
      StoryLikeness(title: one.0, texts: [one.1]), StoryLikeness(title: other.0, texts: [other.1])
    )
    let found = first.hasTitle(of: second) || first.hasText(of: second)
    #expect(found == (second.hasTitle(of: first) || second.hasText(of: first)), "the order does not matter")
    return found
  }

  @Test(arguments: [
    ("Ferry sinks", "Ferry sinks"), ("Ferry sinks", "FERRY SINKS!"),
    ("Ferry sinks", "Ferry sinks | The Daily"),
    ("Ferry sinks", "The Daily: Ferry sinks"), ("Ferry", "Ferry - News - The Daily"),
    ("‘It’s over’, says captain", "'It's over', says captain"), ("Ferry sinks", "[Update] Ferry sinks"),
    ("Ferry sinks off the coast of Norway", "Ferry sinks off the coast of Norway (Reuters)"),
    ("Video: ferry sinks off the coast", "Ferry sinks off the coast"),
    ("Ferry sinks off the coast of Nor…", "Ferry sinks off the coast of Norway after a storm"),
    ("Café öffnet", "Cafe\u{301} O\u{308}ffnet"), ("渡輪在挪威外海沉沒", "渡輪在挪威外海沉沒 - 每日新聞"),
    ("Version 1.2 of App A", "Version 1.2 of App A – Blog"), ("Паром затонул", "ПАРОМ ЗАТОНУЛ — Новости"),
    ("Zero\u{AD}width and so\u{200B}ft", "Zerowidth and soft"),
  ])
  func `titles of copies differ in the name of the site, quotes, capitals and punctuation`(
    one: String, other: String
  ) {
    #expect(areCopies((one, ""), (other, "")))
    #expect(areCopies((one, "One text of some words"), (other, "And quite a different one")))
  }

  @Test(arguments: [
    ("App A 1.2 released", "App B 2.0 released"), ("App 1.2 released", "App 1.3 released"),
    ("Release 1.2", "Release 1.2.1"), ("Programme of the Rex this week", "Programme of the Lux this week"),
    ("App A: release 1.2", "App B: release 1.2"), ("News", "More news than before"), ("Ferry sinks", ""),
    ("Firefox 128", "Firefox 128 for Android"), ("渡輪沉沒", "船長獲救"),
  ])
  func `other titles with other texts are other stories`(one: String, other: String) {
    #expect(!areCopies((one, ""), (other, "")))
    #expect(!areCopies((one, "\(one): what is new"), (other, "\(other): what is new")))
  }

  private static let text = """
    <p>The ferry <b>Harald</b> has sunk off the coast of Norway on Monday night. All 120 passengers were saved by boats from \
    the harbour of Bergen, the coast guard said. It isn&#8217;t known why the ship took in water.</p>
    """

  @Test(arguments: [
    text,
    "<div>The ferry Harald has sunk off the coast of Norway on Monday night. All 120 passengers were saved by boats…</div>",
    "The ferry Harald has sunk off the coast of Norway on Monday night. <a href='x'>Read more</a>",
    text.replacing("120", with: "124").replacing("isn&#8217;t", with: "isn't"),
  ])
  func `articles with other titles and a similar text are copies`(text: String) {
    #expect(areCopies(("All saved", Self.text), ("Ferry disaster in the north", text)))
  }

  @Test func `a short message is a copy of one that has its words as the title`() {
    #expect(
      areCopies(
        (nil, "<p>Ferry sinks off the coast https://a.example/1</p>"), ("Ferry sinks off the coast", "")))
    #expect(!areCopies((nil, "<p>Something else</p>"), ("Ferry sinks off the coast", "")))
    #expect(areCopies((nil, ""), (nil, "")))
  }
}
