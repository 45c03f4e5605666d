import Foundation
import HTMLText
import TestSupport
import Testing

private enum Printer {
  static let isInstalled = ["chromium", "pdftotext"].allSatisfy {
    FileManager.default.isExecutableFile(atPath: "/usr/bin/" + $0)
  }
}

/// The page of `export` as Chromium prints it.
@Suite(.enabled(if: Printer.isInstalled, "there is no Chromium; make test-page installs it"))
struct PrintedPageTests {
  private let newsimport: CommandRun

  init() throws {
    newsimport = try CommandRun()
  }

  /// An article that is folded on a screen, with a line and a table that are wider than the paper.
  private static let feed = """
    <rss version="2.0"><channel><title>T</title><item><guid>1</guid>
    <title>\(words("title", 100))</title><description>&lt;p>\(words("text", 146))&lt;/p>
    &lt;pre>\(words("code", 40))&lt;/pre>&lt;table>&lt;tr>&lt;td>\(words("cell", 20).replacing(" ", with: "&lt;td>"))
    &lt;/table></description></item></channel></rss>
    """

  private static func words(_ name: String, _ count: Int) -> String {
    (0..<count).map { "\(name)\($0)" }.joined(separator: " ")
  }

  @Test func `each word of the articles is printed once`() async throws {
    let feed = try newsimport.folder.write("feed.xml", Self.feed.utf8)
    let page = newsimport.folder.file("page.html")
    let fixtures = ["world", "wordpress-multithreading.xml"].map {
      Repository.fixtures.appending(path: $0).path
    }
    #expect(try await newsimport.run(["import", "--region", "r", feed] + fixtures).status == 0)
    #expect(try await newsimport("export", "r", "-o", page).status == 0)
    var missing: [String: Int] = [:]
    for line in try await newsimport("list", "r", "--json", "--full").out.split(separator: "\n") {
      let article = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
      let body = article["content_html"] as? String ?? article["summary"] as? String ?? ""
      for text in [article["title"] as? String ?? "", HTMLWords.text(of: body)] {
        for word in Self.words(of: text) { missing[String(word), default: 0] += 1 }
      }
    }
    #expect(missing.values.reduce(0, +) > 1500)
    let paper = try await printed(page)
    for word in Self.words(of: paper) { missing[String(word)]? -= 1 }
    // A word that is wider than its place is on several lines.
    let letters = paper.filter { !$0.isWhitespace }
    #expect(missing.filter { $0.value > 0 && !letters.contains($0.key) } == [:])
    // The beginning of a folded text is not printed beside the text.
    #expect(missing["text1"] == 0)
  }

  /// Returns the text on the paper.
  private func printed(_ page: String) async throws -> String {
    let paper = newsimport.folder.file("page.pdf")
    let options = [
      "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir=\(newsimport.folder.file("browser"))",
      "--no-pdf-header-footer", "--print-to-pdf=\(paper)", "file://\(page)",
    ]
    let environment = ["HOME": newsimport.folder.path, "PATH": "/usr/bin:/bin"]
    let result = try await Command.run("/usr/bin/chromium", options, environment: environment)
    #expect(result.status == 0, "\(result.err)")
    return try await Command.run("/usr/bin/pdftotext", ["-raw", paper, "-"], environment: environment).out
  }

  private static func words(of text: String) -> [Substring] {
    text.split { !$0.isLetter && !$0.isNumber }
  }
}
