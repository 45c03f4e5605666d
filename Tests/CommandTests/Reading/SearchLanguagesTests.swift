import Foundation
import LoopbackServer
import TestSupport
import Testing

/// Texts and words that mean the same, although they are written differently.
@Suite struct SearchLanguagesTests {
  struct Pair: Sendable {
    let text: String
    let query: String

    init(_ text: String, _ query: String) { (self.text, self.query) = (text, query) }
  }

  /// More than 60 pairs in more than 15 scripts.
  private static let pairs: [Pair] = [
    // Latin
    Pair("Straße", "STRASSE"), Pair("STRASSE", "straße"), Pair("œuvre", "oeuvre"), Pair("Ærø", "aero"),
    Pair("Øresund", "oresund"), Pair("Łódź", "lodz"), Pair("Đồng Nai", "dong"), Pair("Iğdır", "igdir"),
    Pair("İzmir", "izmir"), Pair("naı\u{308}ve", "naive"), Pair("Ｆｕｌｌ　ｗｉｄｔｈ", "full"),
    Pair("e\u{301}le\u{300}ve", "élève"), Pair("Þingvellir", "thingvellir"), Pair("ﬁnance", "finance"),
    Pair("Donau\u{AD}dampf\u{AD}schiff", "donaudampfschiff"), Pair("super\u{200B}cali", "supercali"),
    Pair("𝐁𝐨𝐥𝐝 𝒕𝒊𝒕𝒍𝒆", "bold"), Pair("㎞", "km"), Pair("Ⅷ", "viii"),
    // Greek
    Pair("τρένο", "ΤΡΕΝΟ"), Pair("ΑΝΘΡΩΠΟΣ", "άνθρωπος"), Pair("ᾳδης", "άδης"), Pair("Οδυσσεύς", "ΟΔΥΣΣΕΥΣ"),
    // Cyrillic
    Pair("Ёлка", "елка"), Pair("елка", "ёлка"), Pair("Їжак", "іжак"), Pair("Йод", "ИОД"),
    Pair("ГРАЃАНИН", "граганин"),
    // Armenian and Georgian
    Pair("ԵՐԵՒԱՆ", "երևան"), Pair("և", "եւ"), Pair("ᲗᲑᲘᲚᲘᲡᲘ", "თბილისი"),
    // Hebrew
    Pair("שָׁלוֹם", "שלום"), Pair("שלום", "שָׁלוֹם"), Pair("אָלֶף־בֵּית", "בית"), Pair("ﬥגב", "לגב"),
    // Arabic
    Pair("مُدَرِّسٌ", "مدرس"), Pair("كتـــاب", "كتاب"), Pair("أحمد", "احمد"), Pair("ﻣﺪﺭﺳﺔ", "مدرسة"),
    Pair("می\u{200C}خواهم", "میخواهم"), Pair("القرآن", "القران"),
    Pair("کتاب", "كتاب"), Pair("مصطفى", "مصطفي"), Pair("ایران", "ايران"), Pair("مدرسة", "مدرسه"),
    Pair("۲۰۲۶", "2026"),
    Pair("२०२६", "2026"),
    // Syriac, Thaana, N'Ko
    Pair("ܫܠܳܡܳܐ", "ܫܠܡܐ"), Pair("ދިވެހި", "ދިވެހި"), Pair("ߒߞߏ߫", "ߒߞߏ"),
    // Devanagari, Bengali, Gurmukhi, Tamil, Telugu
    Pair("क़लम", "कलम"), Pair("फ़िल्म", "फिल्म"), Pair("ড়", "ড"), Pair("ਸ਼ਹਿਰ", "ਸਹਿਰ"), Pair("தமிழ்\u{200C}நாடு", "தமிழ்நாடு"),
    Pair("కొ\u{200D}త్త", "కొత్త"),
    // Thai, Lao, Khmer, Burmese
    Pair("ประเทศไทยสวย", "ไทย"), Pair("พูดไม่ได้", "ไมได้"), Pair("ປະເທດລາວ", "ລາວ"),
    Pair("ព្រះរាជាណាចក្រកម្ពុជា", "កម្ពុជា"),
    Pair("မြန်မာနိုင်ငံ", "မာနိုင်"),
    // Han and kana
    Pair("東京都知事", "京都"), Pair("ﾊﾝｶｸ ｶﾞｲﾄﾞ", "ガイド"), Pair("か\u{3099}くせい", "がくせい"), Pair("中国人民", "国人"),
    Pair("㌀", "アパート"), Pair("⼈々", "人々"),
    // Hangul
    Pair("한국어를 배우는", "한국어"), Pair("사람들", "사람"),
    Pair("\u{1112}\u{1161}\u{11AB}\u{1100}\u{116E}\u{11A8}", "한국"),
    Pair("㈜삼성", "삼성"),
    // Ethiopic and Cherokee
    Pair("ኢትዮጵያ።አዲስ", "አዲስ"), Pair("ᏣᎳᎩ", "ꮳꮃꭹ"),
    // Emoji
    Pair("Launch 🚀today", "🚀"), Pair("👍🏽 good", "👍"), Pair("I ❤️ it", "❤"), Pair("🇩🇪🇫🇷", "🇫🇷"), Pair("👨‍👩‍👧", "👨👩👧"),
  ]

  @Test func `a word is found in every language, however it is written`() async throws {
    let newsimport = try CommandRun()
    let items = Self.pairs.enumerated().map { place, pair in
      "<item><guid>\(place)</guid><title>Item</title><description>\(pair.text)</description></item>"
    }
    let feed = "<rss version=\"2.0\"><channel><title>All</title>\(items.joined())</channel></rss>"
    let server = try LoopbackHTTPServer { _ in .ok(feed) }
    defer { server.stop() }
    _ = try await newsimport("region", "add", "world", server.url("/feed"))
    #expect(try await newsimport("fetch", "world", "-q").status == 0)
    for (place, pair) in Self.pairs.enumerated() {
      let found = try await newsimport("search", "--fields", "guid", "--limit", "100", pair.query)
      #expect(found.out.split(separator: "\n").contains("\(place)"), "\(pair.text): \(pair.query)")
    }
  }

  @Test func `different words stay different`() async throws {
    let newsimport = try CommandRun()
    let feed = """
      <rss version="2.0"><channel><title>All</title><item><guid>1</guid><title>カキ 한글 कुल 🚀</title></item></channel></rss>
      """
    let server = try LoopbackHTTPServer { _ in .ok(feed) }
    defer { server.stop() }
    _ = try await newsimport("region", "add", "world", server.url("/feed"))
    #expect(try await newsimport("fetch", "world", "-q").status == 0)
    for query in ["ガキ", "한국", "कल", "🛸", "ｶﾞ"] {
      #expect(try await newsimport("search", "--fields", "guid", query).out == "", "\(query)")
    }
  }

  @Test func `hits are shown as the article has them`() async throws {
    let newsimport = try CommandRun()
    let feed = """
      <rss version="2.0"><channel><title>All</title><item><guid>1</guid><title>Die STRA\u{00DF}E in 한국어를 🚀 e\u{301}te\u{301}, 2½ m</title></item>
      </channel></rss>
      """
    let server = try LoopbackHTTPServer { _ in .ok(feed) }
    defer { server.stop() }
    _ = try await newsimport("region", "add", "world", server.url("/feed"))
    #expect(try await newsimport("fetch", "world", "-q").status == 0)
    for (query, title) in [
      ("strasse", "Die «STRAßE» in 한국어를 🚀 e\u{301}te\u{301}, 2½ m"),
      ("한국어", "Die STRAßE in «한국어»를 🚀 e\u{301}te\u{301}, 2½ m"),
      ("🚀", "Die STRAßE in 한국어를 «🚀» e\u{301}te\u{301}, 2½ m"),
      ("ÉTÉ", "Die STRAßE in 한국어를 🚀 «e\u{301}te\u{301}», 2½ m"),
      ("\"21 2 m\"", "Die STRAßE in 한국어를 🚀 e\u{301}te\u{301}, «2½ m»"),
      ("*ras*", "Die «STRAßE» in 한국어를 🚀 e\u{301}te\u{301}, 2½ m"),
    ] {
      let found = try await newsimport("search", "--fields", "snippet", query).out
      #expect(found.utf8.elementsEqual((title + "\n").utf8), "\(query): \(found)")
    }
  }
}
