/// What people look for, as the full-text index is asked (sqlite.org/fts5.html#full_text_query_syntax).
///
/// Words, `"phrases"`, `begin*`, `OR`, `AND`, `NOT` or `-word`, parentheses, and `column:` before a word. Whatever
/// else stands in a word is text: nothing that people write is taken for the index's own syntax.
package struct SearchExpression: Sendable, Equatable {
  /// What cannot be understood, in words for people.
  package struct Mistake: Error, Equatable {
    package let cause: String
    /// Whether there is nothing in it to look for, however it is written.
    package var hasNoText = false
  }

  /// In the index's syntax.
  package let text: String

  /// Reads what people wrote.
  ///
  /// - Parameters:
  ///   - query: The words.
  ///   - columns: The names that may stand before a colon, each with the column of the index that it means.
  package init(_ query: String, columns: [String: String]) throws(Mistake) {
    var parser = Parser(tokens: try Self.tokens(of: query, columns: columns))
    text = try parser.parse()
  }

  // MARK: Words

  private enum Token: Equatable {
    /// Already in the index's syntax; nil where there is no letter and no digit in it.
    case term(String?)
    case column(String)
    case or, and, not, open, close
  }

  private static func tokens(of query: String, columns: [String: String]) throws(Mistake) -> [Token] {
    var tokens: [Token] = []
    var rest = query[...]
    while let first = rest.first {
      switch first {
      case _ where first.isWhitespace: rest.removeFirst()
      case "(", ")":
        tokens.append(first == "(" ? .open : .close)
        rest.removeFirst()
      case "-"
      where rest.dropFirst().first.map { $0.isLetter || $0.isNumber || isQuote($0) || $0 == "(" } == true:
        tokens.append(.not)
        rest.removeFirst()
      case _ where isQuote(first):
        rest.removeFirst()
        guard let end = rest.firstIndex(where: isQuote) else {
          throw Mistake(cause: "a quotation mark is not closed")
        }
        let phrase = rest[..<end]
        rest = rest[rest.index(after: end)...]
        let isBeginning = rest.first == "*"
        if isBeginning { rest.removeFirst() }
        tokens.append(.term(term(phrase, isBeginning: isBeginning)))
      default: tokens.append(takeWord(from: &rest, columns: columns))
      }
    }
    return tokens
  }

  private static func takeWord(from rest: inout Substring, columns: [String: String]) -> Token {
    let word = rest.prefix { !$0.isWhitespace && !isQuote($0) && $0 != "(" && $0 != ")" }
    if let colon = word.firstIndex(of: ":"), let column = columns[String(word[..<colon])] {
      let next = word.index(after: colon)
      if next < rest.endIndex, !rest[next].isWhitespace {
        rest = rest[next...]
        return .column(column)
      }
    }
    rest = rest[word.endIndex...]
    switch word {
    case "OR": return .or
    case "AND": return .and
    case "NOT": return .not
    default:
      let isBeginning = word.last == "*"
      return .term(term(isBeginning ? word.dropLast() : word, isBeginning: isBeginning))
    }
  }

  private static func isQuote(_ character: Character) -> Bool {
    character == "\"" || character == "“" || character == "”" || character == "„"
  }

  private static func term(_ text: Substring, isBeginning: Bool) -> String? {
    guard text.contains(where: { $0.isLetter || $0.isNumber }) else { return nil }
    // A quotation mark that a combining mark follows is none to people, and still one to the index.
    let plain = text.utf8.map { $0 == 0 || $0 == UInt8(ascii: "\"") ? UInt8(ascii: " ") : $0 }
    let spaced = SearchText.spaced(String(decoding: plain, as: UTF8.self))
    return "\"\(spaced)\"" + (isBeginning ? " *" : "")
  }

  // MARK: Structure

  private struct Parser {
    private var tokens: ArraySlice<Token>
    private var depth = 0

    init(tokens: [Token]) {
      self.tokens = tokens[...]
    }

    mutating func parse() throws(Mistake) -> String {
      let expression = try alternatives()
      if tokens.first == .close { throw Mistake(cause: "a parenthesis is closed that is not open") }
      guard let expression else {
        throw Mistake(cause: "signs without letters and digits cannot be looked for", hasNoText: true)
      }
      return expression
    }

    /// One or more parts with OR between them; nil for nothing that could be looked for.
    private mutating func alternatives() throws(Mistake) -> String? {
      var parts: [String] = []
      while true {
        guard hasOperand else {
          throw Mistake(
            cause: tokens.isEmpty && parts.isEmpty && depth == 0
              ? "there is no word to look for" : "a word is missing beside OR or inside of parentheses")
        }
        if let part = try conjunction() { parts.append(part) }
        guard tokens.first == .or else { break }
        tokens.removeFirst()
      }
      return parts.count > 1 ? "(" + parts.joined(separator: " OR ") + ")" : parts.first
    }

    /// Parts that all have to be there, but for those behind NOT.
    private mutating func conjunction() throws(Mistake) -> String? {
      var wanted: [String] = []
      var unwanted: [String] = []
      while let token = tokens.first, token != .or, token != .close {
        tokens.removeFirst()
        switch token {
        case .and:
          guard hasOperand else { throw Mistake(cause: "a word is missing behind AND") }
        case .not:
          guard hasOperand, tokens.first != .not else { throw Mistake(cause: "a word is missing behind NOT") }
          let next = tokens.removeFirst()
          if let part = try operand(next) { unwanted.append(part) }
        default:
          if let part = try operand(token) { wanted.append(part) }
        }
      }
      guard !wanted.isEmpty else {
        if unwanted.isEmpty { return nil }
        throw Mistake(cause: "name a word to look for, not only words to leave out")
      }
      let all = wanted.joined(separator: " AND ")
      if unwanted.isEmpty { return wanted.count > 1 ? "(\(all))" : all }
      return "((\(all))" + unwanted.map { " NOT \($0)" }.joined() + ")"
    }

    private mutating func operand(_ token: Token) throws(Mistake) -> String? {
      switch token {
      case .term(let term): return term
      case .column(let name):
        guard hasOperand, tokens.first != .not else {
          throw Mistake(cause: "a word is missing behind \(name):")
        }
        let next = tokens.removeFirst()
        if case .column = next { throw Mistake(cause: "a word is missing behind \(name):") }
        return try operand(next).map { "(\(name) : \($0))" }
      case .open:
        depth += 1
        guard depth <= 20 else { throw Mistake(cause: "there are too many parentheses in each other") }
        let inner = try alternatives()
        guard tokens.first == .close else { throw Mistake(cause: "a parenthesis is not closed") }
        tokens.removeFirst()
        depth -= 1
        return inner
      case .or, .and, .not, .close: return nil
      }
    }

    /// Whether something to look for comes next.
    private var hasOperand: Bool {
      switch tokens.first {
      case .term, .column, .open, .not: true
      case .or, .and, .close, nil: false
      }
    }
  }
}
