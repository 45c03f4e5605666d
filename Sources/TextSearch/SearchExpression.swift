/// A search query of the user.
///
/// The query consists of words, `"phrases"`, `prefix*`, `OR`, `AND`, `NOT` or `-word`, parentheses, and `column:`
/// before a word. All other characters of a word are text.
package struct SearchExpression: Sendable, Equatable {
  /// A syntax error in the query, with a description for the user.
  package struct Mistake: Error, Equatable {
    package let cause: String
    /// True if the query contains no letters or digits.
    package var hasNoText = false
  }

  /// What a text must contain.
  package indirect enum Condition: Sendable, Equatable {
    /// Words one after the other, which the text is split into as the searched texts are. The last one may be the beginning of a
    /// word.
    case phrase(String, isBeginning: Bool)
    case all([Condition])
    case any([Condition])
    case excluding(Condition, [Condition])
    /// The condition holds in one column.
    case column(String, Condition)
  }

  package let condition: Condition

  /// Parses a query.
  ///
  /// - Parameters:
  ///   - query: The user's query.
  ///   - columns: The accepted column names, each with the column of the index that it refers to.
  /// - Throws: ``Mistake`` if the query has a syntax error or contains no letters or digits.
  package init(_ query: String, columns: [String: String]) throws(Mistake) {
    var parser = Parser(tokens: try Self.tokens(of: query, columns: columns))
    condition = try parser.parse()
  }

  // MARK: Words

  private enum Token: Equatable {
    /// A phrase; nil if it contains no letters or digits.
    case term(Condition?)
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

  private static func term(_ text: Substring, isBeginning: Bool) -> Condition? {
    guard text.contains(where: { $0.isLetter || $0.isNumber }) else { return nil }
    // A quotation mark followed by a combining mark is one character in Swift.
    let plain = text.utf8.map { $0 == 0 || $0 == UInt8(ascii: "\"") ? UInt8(ascii: " ") : $0 }
    return .phrase(SearchText.spaced(String(decoding: plain, as: UTF8.self)), isBeginning: isBeginning)
  }

  // MARK: Structure

  private struct Parser {
    private var tokens: ArraySlice<Token>
    private var depth = 0

    init(tokens: [Token]) {
      self.tokens = tokens[...]
    }

    mutating func parse() throws(Mistake) -> Condition {
      let expression = try alternatives()
      if tokens.first == .close { throw Mistake(cause: "a closing parenthesis has no opening one") }
      guard let expression else {
        throw Mistake(cause: "the query contains no letters or digits", hasNoText: true)
      }
      return expression
    }

    /// Parses one or more parts separated by OR; nil if none of them contains letters or digits.
    private mutating func alternatives() throws(Mistake) -> Condition? {
      var parts: [Condition] = []
      while true {
        guard hasOperand else {
          throw Mistake(
            cause: tokens.isEmpty && parts.isEmpty && depth == 0
              ? "the query contains no word" : "a word is missing next to OR or inside parentheses")
        }
        if let part = try conjunction() { parts.append(part) }
        guard tokens.first == .or else { break }
        tokens.removeFirst()
      }
      return parts.count > 1 ? .any(parts) : parts.first
    }

    /// Parses parts that must all match, except the parts after NOT.
    private mutating func conjunction() throws(Mistake) -> Condition? {
      var wanted: [Condition] = []
      var unwanted: [Condition] = []
      while let token = tokens.first, token != .or, token != .close {
        tokens.removeFirst()
        switch token {
        case .and:
          guard hasOperand else { throw Mistake(cause: "a word is missing after AND") }
        case .not:
          guard hasOperand, tokens.first != .not else { throw Mistake(cause: "a word is missing after NOT") }
          let next = tokens.removeFirst()
          if let part = try operand(next) { unwanted.append(part) }
        default:
          if let part = try operand(token) { wanted.append(part) }
        }
      }
      guard let first = wanted.first else {
        if unwanted.isEmpty { return nil }
        throw Mistake(cause: "the query needs a word to find, not only words to exclude")
      }
      let all = wanted.count > 1 ? .all(wanted) : first
      return unwanted.isEmpty ? all : .excluding(all, unwanted)
    }

    private mutating func operand(_ token: Token) throws(Mistake) -> Condition? {
      switch token {
      case .term(let term): return term
      case .column(let name):
        guard hasOperand, tokens.first != .not else {
          throw Mistake(cause: "a word is missing after \(name):")
        }
        let next = tokens.removeFirst()
        if case .column = next { throw Mistake(cause: "a word is missing after \(name):") }
        return try operand(next).map { .column(name, $0) }
      case .open:
        depth += 1
        guard depth <= 20 else { throw Mistake(cause: "there are too many nested parentheses") }
        let inner = try alternatives()
        guard tokens.first == .close else { throw Mistake(cause: "a parenthesis is not closed") }
        tokens.removeFirst()
        depth -= 1
        return inner
      case .or, .and, .not, .close: return nil
      }
    }

    /// True if the next token begins an operand.
    private var hasOperand: Bool {
      switch tokens.first {
      case .term, .column, .open, .not: true
      case .or, .and, .close, nil: false
      }
    }
  }
}
