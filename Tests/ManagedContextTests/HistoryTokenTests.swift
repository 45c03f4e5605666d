import Foundation
import ManagedContext
import Testing

@Suite struct HistoryTokenTests {
  @Test(
    arguments: [
      ("4711-9f3ac2d1", HistoryToken(4711, check: 0x9f3a_c2d1)), ("1-00000000", HistoryToken(1, check: 0)),
      ("9223372036854775807-0000000a", HistoryToken(.max, check: 10)), ("0", HistoryToken(0)),
      ("4711", HistoryToken(4711)),
    ]) func `a token is one word`(text: String, token: HistoryToken)
  {
    #expect(token.text == text)
    #expect(HistoryToken(text: text) == token)
  }

  @Test(
    arguments: [
      "", "-", "4711-", "-9f3ac2d1", "4711-9f3ac2d", "4711-9f3ac2d11", "4711-9f3ac2dg", "4711-+f3ac2d1", "+1",
      "-1",
      "4711-9f3ac2d1-", " 1", "1 ", "9223372036854775808", "１", "4711-9f3ac2d１", "abc", "1\u{301}",
    ]) func `other texts are no tokens`(text: String)
  {
    #expect(HistoryToken(text: text) == nil)
  }

  @Test func `a token that was encoded without a checksum can be decoded`() throws {
    let old = try JSONDecoder().decode(HistoryToken.self, from: Data(#"{"number":4711}"#.utf8))
    #expect(old == HistoryToken(4711))
    let token = HistoryToken(4711, check: 5)
    #expect(try JSONDecoder().decode(HistoryToken.self, from: JSONEncoder().encode(token)) == token)
  }

  @Test func `tokens are ordered by their numbers`() {
    #expect(HistoryToken(2, check: 9) < HistoryToken(10, check: 1))
    #expect(
      HistoryToken(2) < HistoryToken(2, check: 0) && HistoryToken(2, check: 0) < HistoryToken(2, check: .max))
  }
}
