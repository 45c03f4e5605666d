import DocumentReading
import FeedImport
import Foundation
import NewsModel
import WebAddress

/// The feeds and articles of sfeed: a file of tab-separated values for each feed, the file `sfeedrc` with their addresses,
/// and the file `urls` with the addresses of articles that were read. All are only read, and no script is run.
struct SfeedFolder: Sendable {
  /// The path of the folder, usually `~/.sfeed`, or of the folder `feeds` in it.
  let path: String

  /// The region of the feeds.
  static let region = "sfeed"
  /// The fields of a line, of which older versions write fewer.
  private static let fields = 6...9
  private static let mostBytes = 64 << 20

  /// Visits the feeds with their articles until `visit` returns false.
  ///
  /// - Returns: The files that cannot be read.
  func forEachFeed(_ visit: (ConvertedFeed) -> Bool) -> [DocumentImport.Plan.UnreadFile] {
    var unread: [DocumentImport.Plan.UnreadFile] = []
    let (inner, above) = (folder(named: "feeds"), folder(named: ".."))
    let folder = Self.isFolder(inner) ? inner : FilePathBytes(path)
    guard let names = try? folder.names() else {
      return [.init(name: path, cause: "no folder that can be read")]
    }
    let parent = folder == inner ? FilePathBytes(path) : above
    let addresses = Self.addresses(Self.text(parent.appending(Array("sfeedrc".utf8))) ?? "")
    let urls = Self.text(parent.appending(Array("urls".utf8))) ?? ""
    let read = Set(urls.split(separator: "\n").map { Array($0.utf8) })
    for bytes in names {
      let (path, name) = (folder.appending(bytes), String(decoding: bytes, as: UTF8.self))
      let file = path.text
      if ["sfeedrc", "urls"].contains(name) || Self.isFolder(path) { continue }
      guard let text = Self.text(path) else {
        let cause = "cannot be read, or larger than \(Self.mostBytes >> 20) MiB"
        unread.append(.init(name: file, cause: cause))
        continue
      }
      let address = addresses[name].flatMap { try? WebAddress(listed: $0) }
      let encoded = Self.encoded(bytes)
      let empty: () -> ConvertedFeed = {
        var feed = ConvertedFeed(
          name: file, address: address ?? WebAddress("file:sfeed/\(encoded)"), title: name)
        feed.regions = [Self.region]
        return feed
      }
      var feed = empty()
      var goesOn = true
      var hasArticles = false
      var wrong = LineMistakes()
      let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      for (number, line) in lines.enumerated() where !line.isEmpty {
        guard goesOn else { break }
        var article: ConvertedFeed.Article
        do throws(LineMistake) {
          article = try Self.article(Substring(line))
        } catch {
          wrong.add(error.cause, inLine: number + 1)
          continue
        }
        hasArticles = true
        if let url = article.url, read.contains(Array(url.utf8)) { article.marks = [.read] }
        feed.add(article)
        if feed.byteCount >= ConvertedFeed.usualBytes {
          goesOn = visit(feed)
          feed = empty()
        }
      }
      if !hasArticles, !wrong.isEmpty {
        unread.append(.init(name: file, cause: "not a file of sfeed(5)"))
        continue
      }
      feed.mistakes = wrong
      guard goesOn, visit(feed) else { break }
    }
    return unread
  }

  /// The cause why a line has no article.
  private struct LineMistake: Error {
    let cause: String
  }

  /// Returns the article of a line.
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

  /// Returns the addresses of feeds by name: the lines `feed "name" "address"` of `sfeedrc`, a shell script.
  static func addresses(_ script: String) -> [String: String] {
    var addresses: [String: String] = [:]
    for line in script.split(whereSeparator: \.isNewline) {
      let words = NewsboatCache.words(of: line, hasSingleQuotes: true)
      // The function may begin on the same line: feeds() { feed NAME URL; }
      guard let place = words.firstIndex(of: "feed"), words.count >= place + 3,
        !words[..<place].contains(where: { $0.hasPrefix("#") })
      else { continue }
      let address = words[place + 2]
      // The file of a feed has an underscore instead of a slash.
      addresses[words[place + 1].replacing("/", with: "_")] =
        place > 0 && address.hasSuffix(";") ? String(address.dropLast()) : address
    }
    return addresses
  }

  /// Returns the name of a file as a part of an address. A name may have any bytes.
  private static func encoded(_ name: [UInt8]) -> String {
    let text = String(validating: name, as: UTF8.self)
    return text?.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed)
      ?? FilePathBytes.percentEncoded(name)
  }

  private func folder(named name: String) -> FilePathBytes {
    FilePathBytes(path).appending(Array(name.utf8))
  }

  private static func isFolder(_ path: FilePathBytes) -> Bool {
    (try? FileKind(of: path, follows: true)) == .folder
  }

  /// Returns the text of a regular file; nil if it cannot be read, or is too large.
  private static func text(_ path: FilePathBytes) -> String? {
    var bytes: [UInt8] = []
    do throws(InputFailure) {
      guard try FileKind(of: path, follows: true) == .regular else { return nil }
      let source = try FileBytes(opening: path)
      while bytes.count <= mostBytes {
        let piece = try source.next()
        if piece.isEmpty { return String(decoding: bytes, as: UTF8.self) }
        bytes += piece
      }
    } catch {
      return nil
    }
    return nil
  }
}
