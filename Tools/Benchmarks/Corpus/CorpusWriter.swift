/// Writes the feeds of a corpus. It reuses the paragraphs of their texts.
public struct CorpusWriter: Sendable {
  public let corpus: Corpus
  private let paragraphs: [Paragraphs]

  /// 1 May 2024: the newest articles of the first revision.
  private static let start = Moment(seconds: 1_714_550_400)
  /// The approximate size of the parts of a document, in bytes.
  private static let partBytes = 1 << 20

  public init(_ corpus: Corpus) {
    self.corpus = corpus
    paragraphs = Language.allCases.map { Paragraphs($0, seed: corpus.seed) }
  }

  /// Returns a feed's complete document.
  public func document(_ feed: Int, _ revision: Corpus.Revision) -> [UInt8] {
    var document: [UInt8] = []
    write(feed, revision) { document += $0 }
    return document
  }

  /// Passes a feed's document to `body` in parts, so that a feed of any length needs little memory.
  public func write<Failure: Error>(
    _ feed: Int, _ revision: Corpus.Revision, _ body: ([UInt8]) throws(Failure) -> Void
  ) throws(Failure) {
    let format = corpus.format(of: feed)
    let count = corpus.size.articlesPerFeed
    let change = revision == .second ? corpus.change(of: feed) : Corpus.Change()
    let isShort = corpus.size.feeds > 1 && feed % 9 == 4
    func story(_ number: Int) -> Story {
      let published = Moment(seconds: Self.start.seconds + (number - count) * 3553 - feed % 3600)
      let paragraphs = paragraphs.first { $0.language == format.language } ?? paragraphs[0]
      let story = Story(
        number, of: feed, seed: corpus.seed, paragraphs, isShort: isShort, published: published)
      guard change.hasEdit && number == count - 1 - count / 3 else { return story }
      return story.edited(at: Moment(seconds: Self.start.seconds + 7200))
    }
    // RSS 1.0 lists its articles at the beginning.
    let numbers = (0..<(count + change.new)).reversed()
    let links = format.kind == .rdf ? numbers.map { story($0).link } : []
    let updated = Moment(seconds: Self.start.seconds + (change.isChange ? 7200 : 0))
    var part = Array(format.head(of: feed, updated: updated, links: links).utf8)
    var isFirst = true
    for number in numbers {
      if !isFirst { part += format.separator.utf8 }
      isFirst = false
      format.append(story(number), to: &part)
      if part.count > Self.partBytes {
        try body(format.encoding.encoded(part))
        part.removeAll(keepingCapacity: true)
      }
    }
    part += format.tail.utf8
    try body(format.encoding.encoded(part))
  }
}
