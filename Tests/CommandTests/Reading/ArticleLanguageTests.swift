import Foundation
import LoopbackServer
import TestSupport
import Testing

@Suite struct ArticleLanguageTests {
  @Test func `an article has its own language, else its feed's`() async throws {
    let newsimport = try CommandRun()
    let feed = """
      <rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><title>Bote</title><language>de-AT</language>
      <item><guid>1</guid><title>Eins</title></item>
      <item><guid>2</guid><title>Un</title><dc:language>fr</dc:language></item></channel></rss>
      """
    let server = try LoopbackHTTPServer { _ in .ok(feed) }
    defer { server.stop() }
    _ = try await newsimport("region", "add", "world", server.url("/feed"))
    #expect(try await newsimport("fetch", "world", "-q").status == 0)
    let lines = try await newsimport("list", "--fields", "guid,language").out.split(separator: "\n").sorted()
    #expect(lines == ["1\tde-AT", "2\tfr"])
    let page = try await newsimport("export", "--format", "html").out
    #expect(page.contains(" lang=\"de-AT\"") && page.contains(" lang=\"fr\""))
    let view = try await newsimport("sql", "SELECT guid, language FROM articles ORDER BY guid", "--json").out
    #expect(view.contains("\"language\":\"de-AT\"") && view.contains("\"language\":\"fr\""))
    #expect(try await newsimport("sql", "SELECT language FROM feeds", "--json").out.contains("de-AT"))
  }

  @Test func `a page has tags of languages, and an empty one where no language is known`() async throws {
    let newsimport = try CommandRun()
    let languages = ["de_AT", "fr-FR, fr", "german", "C.UTF-8", "zh_Hant_TW", "\" x=\"", ""]
    let items = languages.enumerated().map { number, language in
      "<item><guid>\(number)</guid><title>T</title><dc:language>\(language.replacing("\"", with: "&quot;"))</dc:language></item>"
    }
    let feed = """
      <rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><title>B</title>\(items.joined())</channel></rss>
      """
    #expect(try await newsimport("import", "-", "--region", "world", input: feed).status == 0)
    let page = try await newsimport("export", "--format", "html").out
    let tags = page.components(separatedBy: "<article ").dropFirst().map { $0.prefix { $0 != ">" } }
      .map { $0.components(separatedBy: " lang=\"").last ?? "" }
    #expect(tags.sorted() == ["\"", "\"", "\"", "\"", "de-AT\"", "fr-FR\"", "zh-Hant-TW\""])
    let rss = try await newsimport("export", "--format", "rss").out
    #expect(rss.contains("<dc:language>de-AT</dc:language>") && !rss.contains("german"))
  }
}
