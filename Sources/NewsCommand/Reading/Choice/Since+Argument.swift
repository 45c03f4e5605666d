import ArgumentParser
import Foundation
import NewsConfiguration

extension Since {
  /// - Throws: `ValidationError` for a text that is not a time.
  init(argument: String) throws {
    if let since = Since(argument) {
      self = since
    } else {
      let problem =
        argument.wholeMatch(of: #/\d{4}-\d\d-\d\d/#) != nil ? "not a day of the calendar" : "not a time"
      throw ValidationError("'\(argument)' is \(problem); write it like \(Self.examples).")
    }
  }

  /// Rejects an end that is not later than the beginning.
  ///
  /// - Parameter option: The end's option.
  /// - Throws: `ValidationError`.
  static func checkSpan(from begin: Date?, to end: Date?, _ option: String) throws {
    guard let begin, let end, end <= begin else { return }
    throw ValidationError("\(option) is not later than --since: no article is between them.")
  }
}

/// Reads a limit for articles.
///
/// - Throws: `ValidationError` unless the argument is a number from 1.
func limitOfArticles(_ argument: String) throws -> Int {
  guard let limit = Int(argument), limit > 0 else {
    throw ValidationError("'\(argument)' is not a number from 1, such as 20.")
  }
  return limit
}
