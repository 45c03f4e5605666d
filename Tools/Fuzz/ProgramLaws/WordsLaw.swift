import ArticleDocuments
import ManagedContext
import ParserLaws
import SQLiteStore
import TextSearch

/// The law of words: what a user searches for is either refused with a cause, or a question that the index can answer.
enum WordsLaw {
  static func check(_ input: [UInt8]) throws(Law.Violation) -> Bool {
    guard input.count <= 1000 else { return false }
    let query = String(decoding: input, as: UTF8.self)
    do {
      let expression = try SearchExpression(query, columns: ArticleSearch.names)
      _ = try SearchIndex.highlights(
        of: expression, in: [["a title", "some text", "an author", "a tag"]],
        columns: ArticleSearch.columns.map(\.name))
    } catch let mistake as SearchExpression.Mistake {
      try expect(!mistake.cause.isEmpty, "a refused query has a cause")
    } catch {
      throw Law.Violation("the index refuses the words: \(error)")
    }
    return true
  }
}
