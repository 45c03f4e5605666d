public import ParserLaws

/// Laws that the program obeys for all inputs besides documents: files and answers that others may have written or damaged.
public enum ProgramLaw: String, CheckedLaw {
  /// Configuration files.
  case config
  /// Heads of HTTP responses.
  case headers
  /// Bodies in the codings of HTTP; the first byte selects the pieces in which they arrive.
  case codings
  /// Words to search for.
  case words
  /// Stores with cells of any type, which another program may have written.
  case cells
  /// Damaged search indexes.
  case index

  public func check(_ input: [UInt8]) throws(Law.Violation) -> Bool {
    switch self {
    case .config: try ConfigurationLaw.check(input)
    case .headers: try HeaderLaw.check(input)
    case .codings: try CodingLaw.check(input)
    case .words: try WordsLaw.check(input)
    case .cells: try CellLaw.check(input)
    case .index: try IndexLaw.check(input)
    }
  }
}
