import ArticleDocuments
import TextOutput

/// Finds the word in a query that was probably meant as an article field, but is searched as text.
enum MistypedField {
  /// Returns the hint; nil for none.
  ///
  /// It is used only if nothing was found, because text may contain colons.
  static func hint(_ query: String) -> String? {
    // Words in quotation marks are meant as text.
    let parts = query.split(omittingEmptySubsequences: false) { "\"“”„".contains($0) }
    for (place, part) in parts.enumerated() where place.isMultiple(of: 2) {
      for word in part.split(whereSeparator: { $0.isWhitespace || $0 == "(" || $0 == ")" }) {
        let word = word.drop { $0 == "-" }
        guard let colon = word.firstIndex(of: ":") else { continue }
        let name = String(word[..<colon])
        guard ArticleSearch.names[name] == nil,
          let meant = nearestWord(to: name, among: ArticleSearch.names.keys.sorted())
        else { continue }
        return "\(name): is not a field, and was searched as text; did you mean \(meant):?"
      }
    }
    return nil
  }
}
