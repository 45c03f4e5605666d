import Foundation

/// A corpus on disk, with a folder for each revision. Existing files are not written again.
public struct CorpusFolder: Sendable {
  public let corpus: Corpus
  /// The folder of all corpora, with a subfolder for each size.
  private let root: String

  public init(_ corpus: Corpus, in root: String) {
    self.corpus = corpus
    self.root = root
  }

  /// Returns the folder of a revision.
  public func path(_ revision: Corpus.Revision) -> String {
    "\(root)/\(corpus.size.name)/\(revision.rawValue)"
  }

  /// Returns the file of a feed.
  public func file(_ feed: Int, _ revision: Corpus.Revision) -> String {
    path(revision) + "/" + corpus.path(of: feed)
  }

  /// Writes both revisions unless they exist. The revisions of an unchanged feed are hard links to one file.
  ///
  /// - Returns: True if anything was written.
  @discardableResult
  public func make() throws -> Bool {
    let mark = "\(root)/\(corpus.size.name)/complete"
    let wanted = Data("seed \(corpus.seed), generator \(Self.version)\n".utf8)
    if FileManager.default.contents(atPath: mark) == wanted { return false }
    try? FileManager.default.removeItem(atPath: "\(root)/\(corpus.size.name)")
    let writer = CorpusWriter(corpus)
    for feed in 0..<corpus.size.feeds {
      try write(feed, .first, writer)
      if corpus.change(of: feed).isChange {
        try write(feed, .second, writer)
      } else {
        try makeFolder(of: file(feed, .second))
        try FileManager.default.linkItem(atPath: file(feed, .first), toPath: file(feed, .second))
      }
    }
    // The mark is written last, so that an incomplete corpus is written again.
    try wanted.write(to: URL(fileURLWithPath: mark))
    return true
  }

  /// The version of the generator, raised whenever it writes different bytes.
  private static let version = 1

  private func write(_ feed: Int, _ revision: Corpus.Revision, _ writer: CorpusWriter) throws {
    let path = file(feed, revision)
    try makeFolder(of: path)
    try Data().write(to: URL(fileURLWithPath: path))
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    defer { try? handle.close() }
    try writer.write(feed, revision) { try handle.write(contentsOf: $0) }
  }

  private func makeFolder(of path: String) throws {
    try FileManager.default.createDirectory(
      atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
  }
}
