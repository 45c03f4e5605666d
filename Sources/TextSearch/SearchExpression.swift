public import ManagedContext

/// A user's search query.
///
/// The query consists of words, `"phrases"`, `prefix*`, `*suffix`, `*part*`, `OR`, `AND`, `NOT` or `-word`,
/// parentheses, and `column:` before a word. All other characters in a word are text.
public struct SearchExpression: Sendable, Equatable {
  /// A syntax error in the query, with a description for the user.
  public struct Mistake: Error, Equatable {
    /// What is wrong, as part of a sentence.
    public let cause: String
    /// True if the query contains no letters or digits.
    public var hasNoText = false
  }

  /// The condition that a text must fulfil.
  public indirect enum Condition: Sendable, Equatable {
    /// Successive words, split like the searched texts. The last one may be the beginning of a word.
    case phrase(String, isBeginning: Bool)
    /// A word that ends with or contains letters, and the words after it. The last one may be a word's
    /// beginning.
    case part(WordPattern, next: String, isBeginning: Bool)
    /// All conditions hold.
    case all([Condition])
    /// At least one condition holds.
    case any([Condition])
    /// The first condition holds, and none of the others.
    case excluding(Condition, [Condition])
    /// The condition holds in one column.
    case column(String, Condition)
  }

  /// The condition that the words express.
  public private(set) var condition: Condition

  /// Parses a query.
  ///
  /// - Parameters:
  ///   - query: The user's query.
  ///   - columns: The accepted column names, each with the index column that it refers to.
  /// - Throws: ``Mistake`` if the query has a syntax error or contains no letters or digits.
  public init(_ query: String, columns: [String: String]) throws(Mistake) {
    var parser = Parser(tokens: try Self.tokens(of: query, columns: columns))
    condition = try parser.parse()
  }

  // MARK: Words

  private enum Token: Equatable {
    /// A phrase; nil if it contains no letters or digits.
    case term(Condition?)
    /// A column, and its name in the query.
    case column(String, name: Substring)
    case or, and, not, open, close
  }

  private static func tokens(of query: String, columns: [String: String]) throws(Mistake) -> [Token] {
    var tokens: [Token] = []
    // A Character would join a mark and the sign before it.
    var rest = query.unicodeScalars[...]
    while let first = rest.first {
      switch first {
      case _ where first.properties.isWhitespace: rest.removeFirst()
      case "(", ")":
        tokens.append(first == "(" ? .open : .close)
        rest.removeFirst()
      case "-"
      where rest.dropFirst().first.map { !$0.properties.isWhitespace && $0 != "-" && $0 != ")" } == true:
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
        tokens.append(.term(term(Substring(phrase), isBeginning: isBeginning)))
      default: tokens.append(takeWord(from: &rest, columns: columns))
      }
    }
    return tokens
  }

  private static func takeWord(
    from rest: inout Substring.UnicodeScalarView, columns: [String: String]
  ) -> Token {
    let word = rest.prefix { !$0.properties.isWhitespace && !isQuote($0) && $0 != "(" && $0 != ")" }
    if let colon = word.firstIndex(of: ":"), let column = columns[String(word[..<colon])] {
      let next = word.index(after: colon)
      if next < rest.endIndex, !rest[next].properties.isWhitespace {
        rest = rest[next...]
        return .column(column, name: Substring(word[..<colon]))
      }
    }
    rest = rest[word.endIndex...]
    switch String(word) {
    case "OR": return .or
    case "AND": return .and
    case "NOT": return .not
    default:
      let isBeginning = word.last == "*"
      let letters = isBeginning ? word.dropLast() : word
      if letters.first == "*", let part = part(Substring(letters.dropFirst()), isOpen: isBeginning) {
        return .term(part)
      }
      return .term(wordTerm(letters, isBeginning: isBeginning))
    }
  }

  private static func isQuote(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "\"" || scalar == "“" || scalar == "”" || scalar == "„"
  }

  /// Returns a condition for a word. `H_2O` also finds H₂O, the word `h2o`, as shown in articles.
  private static func wordTerm(_ word: Substring.UnicodeScalarView, isBeginning: Bool) -> Condition? {
    let term = term(Substring(word), isBeginning: isBeginning)
    let joined = Substring(word.filter { $0 != "_" && $0 != "^" })
    guard let term, let other = self.term(joined, isBeginning: isBeginning), other != term else {
      return term
    }
    return .any([term, other])
  }

  private static func term(_ text: Substring, isBeginning: Bool) -> Condition? {
    let words = SearchText.folded(text)
    return words.isEmpty ? nil : .phrase(words, isBeginning: isBeginning)
  }

  /// Returns a condition for words that contain some letters, or end with them. If the letters form several
  /// words, the first may be the end of a longer one. Nil for a text that does not begin with a word.
  private static func part(_ text: Substring, isOpen: Bool) -> Condition? {
    let words = SearchText.folded(text)
    let letters = words.prefix { $0 != " " }
    // A script without spaces between words: each character is one.
    guard letters.count > 1 || letters.utf8.count == 1 else { return nil }
    let next = String(words.dropFirst(letters.count + 1))
    return next.isEmpty
      ? .part(isOpen ? .containing(String(letters)) : .ending(String(letters)), next: "", isBeginning: false)
      : .part(.ending(String(letters)), next: next, isBeginning: isOpen)
  }

  // MARK: Parts of words

  /// True if a condition searches for parts of words.
  var hasParts: Bool { condition.hasParts }

  /// The maximum number of words that a word part may match.
  static let mostWordsOfPart = 2000

  /// Returns the expression with words from an index instead of parts of words.
  ///
  /// - Throws: ``StoreError/request(_:)`` for letters that occur in too many words.
  public func replacingParts(of index: any WordIndex) throws(StoreError) -> SearchExpression {
    try replacingParts { (pattern) throws(StoreError) in
      let found = try index.words(pattern, limit: Self.mostWordsOfPart + 1)
      guard found.count <= Self.mostWordsOfPart else {
        throw .request(
          "more than \(Self.mostWordsOfPart) words have the letters \(pattern.letters); write more letters beside each *"
        )
      }
      return found
    }
  }

  /// Returns the expression with words instead of parts of words.
  ///
  /// - Parameter words: Returns the words that match a pattern.
  public func replacingParts<Problem>(
    _ words: (WordPattern) throws(Problem) -> [String]
  ) throws(Problem) -> SearchExpression {
    var expression = self
    if hasParts { expression.condition = try condition.replacingParts(words) }
    return expression
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

    /// Parses one or more parts separated by OR; nil if none contains letters or digits.
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
      case .column(let column, let name):
        guard hasOperand, tokens.first != .not else {
          throw Mistake(cause: "a word is missing after \(name):")
        }
        let next = tokens.removeFirst()
        if case .column = next { throw Mistake(cause: "a word is missing after \(name):") }
        return try operand(next).map { .column(column, $0) }
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

extension SearchExpression.Condition {
  fileprivate var hasParts: Bool {
    switch self {
    case .phrase: false
    case .part: true
    case .all(let parts), .any(let parts): parts.contains(where: \.hasParts)
    case .excluding(let wanted, let unwanted): wanted.hasParts || unwanted.contains(where: \.hasParts)
    case .column(_, let condition): condition.hasParts
    }
  }

  fileprivate func replacingParts<Problem>(
    _ words: (WordPattern) throws(Problem) -> [String]
  ) throws(Problem) -> Self {
    func all(_ parts: [Self]) throws(Problem) -> [Self] {
      var replaced: [Self] = []
      for part in parts { replaced.append(try part.replacingParts(words)) }
      return replaced
    }
    switch self {
    case .phrase: return self
    case .part(let pattern, let next, let isBeginning):
      let found = try words(pattern)
      return .any(found.map { .phrase(next.isEmpty ? $0 : $0 + " " + next, isBeginning: isBeginning) })
    case .all(let parts): return .all(try all(parts))
    case .any(let parts): return .any(try all(parts))
    case .excluding(let wanted, let unwanted):
      return .excluding(try wanted.replacingParts(words), try all(unwanted))
    case .column(let name, let condition): return .column(name, try condition.replacingParts(words))
    }
  }
}
