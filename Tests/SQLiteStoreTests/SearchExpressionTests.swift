import SQLiteStore
import Testing
import TextSearch

@Suite struct SearchExpressionTests {
  private static let columns = ["title": "title", "tag": "tag", "tags": "tag"]

  @Test(arguments: [
    ("ferry", "\"ferry\""),
    ("channel ports", "(\"channel\" AND \"ports\")"),
    ("channel AND ports", "(\"channel\" AND \"ports\")"),
    ("\"channel ports\"", "\"channel ports\""),
    ("“channel ports” x", "(\"channel ports\" AND \"x\")"),
    ("ferr*", "\"ferr\" *"),
    ("\"channel por\"*", "\"channel por\" *"),
    ("a OR b c", "(\"a\" OR (\"b\" AND \"c\"))"),
    ("(a OR b) c", "((\"a\" OR \"b\") AND \"c\")"),
    ("a -b", "((\"a\") NOT \"b\")"),
    ("a NOT b NOT (c OR d)", "((\"a\") NOT \"b\" NOT (\"c\" OR \"d\"))"),
    ("-b a", "((\"a\") NOT \"b\")"),
    ("a -.NET", "((\"a\") NOT \"net\")"), ("a -'b'", "((\"a\") NOT \"b\")"),
    ("a -- b -+", "(\"a\" AND \"b\")"),
    ("title:a tags:\"b c\"", "((title : \"a\") AND (tag : \"b c\"))"),
    ("title:(a OR b)", "(title : (\"a\" OR \"b\"))"),
    ("-title:a b", "((\"b\") NOT (title : \"a\"))"),
    // Text outside the program's own syntax is searched literally, and never as syntax of the index.
    ("C++", "\"c\""), ("it's", "\"it s\""), ("foo-bar", "\"foo bar\""), ("a:b", "\"a b\""),
    ("http://x/?y=1", "\"http x y 1\""), ("or not and", "(\"or\" AND \"not\" AND \"and\")"),
    ("NEAR(a b)", "(\"near\" AND (\"a\" AND \"b\"))"), ("{title}:x ^y", "(\"title x\" AND \"y\")"),
    ("f*o", "\"f o\""), ("R & D", "(\"r\" AND \"d\")"), ("+++ a", "\"a\""),
    ("title: a", "(\"title\" AND \"a\")"),
    ("東京 x", "(\"東 京\" AND \"x\")"),
    ("H_2O", "(\"h 2o\" OR \"h2o\")"), ("\"ा\"", "\"ा\""), ("(ा)", "\"ा\""),
  ])
  func `a query is translated to the index's syntax`(query: String, expected: String) throws {
    #expect(try SearchExpression(query, columns: Self.columns).text == expected)
  }

  @Test func `an emoji can be unwanted`() throws {
    let query = try SearchExpression("a -👍", columns: Self.columns)
    #expect(try query.text == SearchExpression("a NOT 👍", columns: Self.columns).text)
  }

  @Test(arguments: [
    ("", "the query contains no word"), (" +++ ", "the query contains no letters or digits"),
    ("—", "the query contains no letters or digits"),
    ("\"—\" & ...", "the query contains no letters or digits"),
    ("\"a", "a quotation mark is not closed"),
    ("OR a", "a word is missing next to OR"), ("a OR", "a word is missing next to OR"),
    ("a AND", "a word is missing after AND"), ("a NOT", "a word is missing after NOT"),
    ("a NOT NOT b", "a word is missing after NOT"),
    ("(a", "a parenthesis is not closed"), ("a)", "a closing parenthesis has no opening one"),
    ("()", "a word is missing"), ("-a", "the query needs a word to find, not only words to exclude"),
    ("title:OR", "a word is missing after title:"), ("title:tags:a", "a word is missing after title:"),
    ("tags:-a", "a word is missing after tags:"),
    (String(repeating: "(", count: 100_000), "too many nested parentheses"),
  ])
  func `an invalid query has a readable error`(query: String, cause: String) {
    #expect {
      try SearchExpression(query, columns: Self.columns)
    } throws: {
      ($0 as? SearchExpression.Mistake)?.cause.contains(cause) == true
    }
  }

  @Test func `the index accepts every translated query`() throws {
    var generator = SystemRandomNumberGenerator()
    let pieces = [
      "a", "\"", "*", " ", "OR ", "AND ", "NOT ", "-", "(", ")", "title:", "^", "{", "}", "+", ":", "日",
      "\u{0}", "'",
    ]
    for _ in 0..<500 {
      let query = (0..<Int.random(in: 1...12, using: &generator)).map { _ in pieces.randomElement() ?? "" }
        .joined()
      guard let expression = try? SearchExpression(query, columns: Self.columns) else { continue }
      #expect(throws: Never.self, "\(query)") {
        try SearchIndex.highlights(of: expression, in: [["a 日", "a"]], columns: ["title", "tag"])
      }
    }
  }
}
