/// One article before it is written in the format of its feed.
struct Story {
  let number: Int
  let title: String
  let link: String
  let guid: String
  let author: String
  let published: Moment
  var modified: Moment
  var summary: String
  var body: [Paragraphs.Piece]
  let tags: [String]
  /// A sound file and its size in bytes.
  let enclosure: (url: String, bytes: Int)?

  /// Creates an article, which is the same in every revision. Numbers increase with time.
  init(_ number: Int, of feed: Int, seed: UInt64, _ paragraphs: Paragraphs, isShort: Bool, published: Moment)
  {
    var dice = Dice(seed: seed, feed, number + 1)
    let site = "https://site\(feed).example.com"
    self.number = number
    self.published = published
    modified = published
    var title = paragraphs.words(4 + dice.roll(8), &dice)
    if dice.chance(15) { title += dice.pick([" & more", " <3", ": \"yes\""]) }
    self.title = title
    link = "\(site)/\(number)/\(dice.roll(100_000))/"
    guid = "\(site)/?p=\(100_000 + number)"
    author = dice.pick(Self.authors)
    summary = paragraphs.words(12 + dice.roll(isShort ? 40 : 20), &dice)
    body = paragraphs.body(bytes: isShort ? 0 : Self.bodySize(&dice), &dice)
    tags = (0..<dice.roll(5)).map { _ in dice.pick(Self.tags) }
    enclosure =
      dice.chance(10) ? ("https://media.example.com/\(feed)/\(number).mp3", 1 + dice.roll(50_000_000)) : nil
  }

  /// Returns the article after an added sentence.
  func edited(at date: Moment) -> Story {
    var story = self
    story.modified = date
    story.summary += " (corrected)"
    return story
  }

  /// Returns a size of 1 to 8 KiB; small sizes are more frequent.
  private static func bodySize(_ dice: inout Dice) -> Int {
    let least = 1024 << dice.pick([0, 0, 0, 1, 1, 1, 1, 2, 2, 2])
    return least + dice.roll(least)
  }

  private static let authors = [
    "Ann Miller", "Bob O'Neil", "Chen Wei", "Dörte Groß", "Eva Novák", "The editors",
  ]
  private static let tags = [
    "news", "technology", "world", "science", "politics & society", "sport", "culture", "open source",
    "opinion",
    "review", "Q&A", "travel",
  ]
}
