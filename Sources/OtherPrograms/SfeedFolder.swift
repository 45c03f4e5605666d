import DocumentReading
package import FeedImport
import Foundation
import NewsModel
import TextOutput
import WebAddress

/// sfeed's feeds and articles: a file with tab-separated values for each feed, `sfeedrc` with their
/// addresses, and `urls` with the addresses of read articles. All are only read, and no script is run.
package struct SfeedFolder: Sendable {
  /// The region for the feeds.
  static let region = "sfeed"
  /// The fields in a line; older versions write fewer.
  private static let fields = 6...9
  private static let mostBytes = 64 << 20

  /// The folder with the feed files.
  private let folder: FilePathBytes
  /// The folder with `sfeedrc` and `urls`.
  private let parent: FilePathBytes
  private let path: String
  /// The feed files' names; nil if the folder cannot be read.
  private let names: [[UInt8]]?
  private let configuration: SfeedConfiguration
  /// True if the file `sfeedrc` can be read.
  private let isConfigured: Bool

  /// - Parameter path: The path to the folder, usually `~/.sfeed`, or to the folder `feeds` in it.
  package init(path: String) {
    self.path = path
    let whole = FilePathBytes(path)
    let inner = whole.appending(Array("feeds".utf8))
    folder = Self.isFolder(inner) ? inner : whole
    parent = folder == inner ? whole : whole.appending(Array("..".utf8))
    names = try? folder.names().filter { !["sfeedrc", "urls"].contains(String(decoding: $0, as: UTF8.self)) }
    let script = parent.appending(Array("sfeedrc".utf8)).text(upTo: Self.mostBytes)
    isConfigured = script != nil
    configuration = SfeedConfiguration(script ?? "")
  }

  /// Messages about feeds in `sfeedrc` that are not fetched, and about feeds that exist only as files.
  package var warnings: [String] {
    guard isConfigured, let names else { return [] }
    let file = parent.appending(Array("sfeedrc".utf8)).text
    var warnings = configuration.unreadLines.map { line in
      "\(file): line \(grouped(line)): this feed was not read, because only a shell can find its name or address"
    }
    for feed in configuration.feeds where address(of: feed) == nil {
      warnings.append(
        "\(file): \(feed.name): \(WebAddress.withoutPassword(feed.address)) is not an http or https address")
    }
    let listed = Set(configuration.feeds.map { Self.fileName(of: $0) })
    let others = names.filter { !listed.contains($0) && !Self.isFolder(folder.appending($0)) }
    if !others.isEmpty {
      let some = others.prefix(Self.mostNamed).map { String(decoding: $0, as: UTF8.self) }.joined(
        separator: ", ")
      warnings.append(
        "\(file): it has no address for \(some)\(others.count > Self.mostNamed ? " and \(grouped(others.count - Self.mostNamed)) more" : "")"
          + ", so \(others.count == 1 ? "this feed is" : "these feeds are") not fetched")
    }
    return warnings
  }

  private static let mostNamed = 5

  /// Returns a feed's file name, which has an underscore instead of a slash.
  private static func fileName(of feed: SfeedConfiguration.Feed) -> [UInt8] {
    feed.name.utf8.map { $0 == UInt8(ascii: "/") ? UInt8(ascii: "_") : $0 }
  }

  private func address(of feed: SfeedConfiguration.Feed) -> WebAddress? {
    try? WebAddress(listed: feed.address)
  }

  /// Visits the feeds with their articles until `visit` returns false.
  ///
  /// - Returns: The files that cannot be read.
  package func forEachFeed(_ visit: (ConvertedFeed) -> Bool) -> DocumentImport.Plan.UnreadFiles {
    guard let names else { return [(path, "no folder that can be read")] }
    var unread: DocumentImport.Plan.UnreadFiles = []
    let urls = parent.appending(Array("urls".utf8)).text(upTo: Self.mostBytes) ?? ""
    let read = Set(urls.split(separator: "\n").map { Array($0.utf8) })
    var listed: [[UInt8]: SfeedConfiguration.Feed] = [:]
    for feed in configuration.feeds { listed[Self.fileName(of: feed)] = feed }
    for name in names where !Self.isFolder(folder.appending(name)) {
      let feed = listed.removeValue(forKey: name)
      guard self.visit(folder.appending(name), name, feed, read: read, &unread, visit) else { return unread }
    }
    // sfeed has not fetched them yet.
    for feed in configuration.feeds where listed[Self.fileName(of: feed)] == feed {
      guard let address = address(of: feed) else { continue }
      guard visit(converted(name: address.withoutPassword, address: address, title: feed.name)) else { break }
    }
    return unread
  }

  private func converted(name: String, address: WebAddress, title: String) -> ConvertedFeed {
    var feed = ConvertedFeed(name: name, address: address)
    (feed.regions, feed.ownTitle) = ([Self.region], title)
    return feed
  }

  /// Visits the articles in a file. Returns false if `visit` wants no more articles.
  private func visit(
    _ path: FilePathBytes, _ name: [UInt8], _ listed: SfeedConfiguration.Feed?, read: Set<[UInt8]>,
    _ unread: inout DocumentImport.Plan.UnreadFiles, _ visit: (ConvertedFeed) -> Bool
  ) -> Bool {
    guard let text = path.text(upTo: Self.mostBytes) else {
      unread.append((path.text, "cannot be read, or larger than \(Self.mostBytes >> 20) MiB"))
      return true
    }
    let empty = {
      converted(
        name: path.text,
        address: listed.flatMap(address) ?? WebAddress("file:sfeed/\(Self.encoded(name))"),
        title: listed?.name ?? String(decoding: name, as: UTF8.self))
    }
    var feed = empty()
    var hasArticles = false
    var wrong = LineMistakes()
    var number = 0
    var rest = text.utf8[...]
    while !rest.isEmpty {
      let line = rest.prefix { $0 != UInt8(ascii: "\n") }
      rest = rest[line.endIndex...].dropFirst()
      number += 1
      if line.isEmpty { continue }
      var article: ConvertedFeed.Article
      do throws(LineMistake) {
        article = try Self.article(Substring(line))
      } catch {
        wrong.add(error.cause, inLine: number)
        continue
      }
      hasArticles = true
      if let url = article.url, read.contains(Array(url.utf8)) { article.marks = [.read] }
      feed.add(article)
      if feed.byteCount >= ConvertedFeed.usualBytes {
        guard visit(feed) else { return false }
        feed = empty()
      }
    }
    if !hasArticles, !wrong.isEmpty {
      unread.append((path.text, "not a file of sfeed(5)"))
      return true
    }
    feed.mistakes = wrong
    return visit(feed)
  }

  /// The reason why a line has no article.
  private struct LineMistake: Error {
    let cause: String
  }

  /// Reads the article in a line.
  private static func article(_ line: Substring) throws(LineMistake) -> ConvertedFeed.Article {
    let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map { unescaped($0) }
    guard Self.fields.contains(fields.count) else {
      throw LineMistake(cause: "not the \(Self.fields.upperBound) fields of sfeed(5)")
    }
    var article = ConvertedFeed.Article()
    if !fields[0].isEmpty {
      guard let date = Int64(fields[0]) else {
        throw LineMistake(cause: "“\(fields[0].prefix(40))” is not a time in seconds since 1970")
      }
      article.published = date
    }
    func field(_ place: Int) -> String? {
      place < fields.count && !fields[place].isEmpty ? fields[place] : nil
    }
    (article.title, article.url, article.content) = (field(1), field(2), field(3))
    article.isPlainText = field(4) != "html"
    (article.id, article.author, article.attachment) = (field(5), field(6), field(7))
    article.tags = (field(8) ?? "").split(separator: "|").map(String.init)
    return article
  }

  /// Replaces `\n`, `\t` and `\\`.
  private static func unescaped(_ field: Substring) -> String {
    guard field.utf8.contains(UInt8(ascii: "\\")) else { return String(field) }
    var text = String.UnicodeScalarView()
    var isEscaped = false
    for scalar in field.unicodeScalars {
      if isEscaped {
        text.append(scalar == "n" ? "\n" : scalar == "t" ? "\t" : scalar)
        isEscaped = false
      } else if scalar == "\\" {
        isEscaped = true
      } else {
        text.append(scalar)
      }
    }
    return String(text)
  }

  /// Returns a file name as a part of an address. A name may have any bytes.
  private static func encoded(_ name: [UInt8]) -> String {
    let text = String(validating: name, as: UTF8.self)
    return text?.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed)
      ?? FilePathBytes.percentEncoded(name)
  }

  private static func isFolder(_ path: FilePathBytes) -> Bool {
    (try? FileKind(of: path, follows: true)) == .folder
  }
}
