import ArgumentParser
import Foundation
import HTMLText
import ManagedContext
import NewsModel
import TextOutput

/// An article's number for people: `4711` is in the main store, `old:4711` in the attached store `old`.
struct ArticleNumber: Hashable, CustomStringConvertible {
  /// The attached store's name; nil for the main store.
  var store: String?
  /// The row, from 1.
  let key: Int64

  /// An article in the main store.
  init(_ key: Int64) {
    self.key = key
  }

  /// An article in an attached store; nil stands for the main store.
  init(_ key: Int64, in store: String?) {
    (self.key, self.store) = (key, store)
  }

  /// Reads a number; nil for other text.
  init?(argument text: String) {
    // A store's name has no colon.
    let colon = text.utf8.lastIndex(of: UInt8(ascii: ":"))
    let digits = colon.map { text[text.utf8.index(after: $0)...] } ?? text[...]
    guard let key = Int64(digits), key > 0, colon != text.startIndex else { return nil }
    self.init(key, in: colon.map { String(text[..<$0]) })
  }

  var description: String { store.map { "\($0):\(key)" } ?? "\(key)" }

  /// Reads numbers from arguments; `-` reads them from standard input, one per line.
  ///
  /// - Throws: `ValidationError` for an argument that is not a number, ``CommandFailure`` with status 65 for
  ///   such a line.
  static func all(
    _ arguments: [String], readingLines: () throws -> [UInt8] = { try InputFile.read("-", limit: 64 << 20) }
  ) throws -> [ArticleNumber] {
    var numbers: [ArticleNumber] = []
    for argument in arguments {
      if argument == "-" {
        numbers += try lines(of: try readingLines())
      } else if let number = ArticleNumber(argument: argument) {
        numbers.append(number)
      } else {
        throw ValidationError(
          "'\(argument)' is not the number of an article; newsimport list shows the numbers.")
      }
    }
    return numbers
  }

  private static func lines(of bytes: [UInt8]) throws -> [ArticleNumber] {
    var numbers: [ArticleNumber] = []
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      var text = String(decoding: line, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
      // The JSON for an article in an attached store has a string.
      if text.utf8.count > 2, text.hasPrefix("\""), text.hasSuffix("\"") {
        text = String(text.dropFirst().dropLast())
      }
      if text.isEmpty { continue }
      guard let number = ArticleNumber(argument: text) else {
        throw CommandFailure(
          .badInput,
          "standard input, line \(index + 1): '\(text.prefix(40))' is not the number of an article; nothing was done"
        )
      }
      numbers.append(number)
    }
    return numbers
  }

  /// Returns the numbers that one typing error makes of a number, in groups, the most likely first: two
  /// digits swapped, one doubled, one added, one missing, one wrong.
  static func near(_ number: Int64) -> [[Int64]] {
    let digits = Array(String(number))
    func numbers(_ made: [[Character]]) -> [Int64] {
      var seen: Set<Int64> = [number]
      return made.compactMap { digits in
        guard digits.first != "0", let near = Int64(String(digits)), near > 0 else { return nil }
        return seen.insert(near).inserted ? near : nil
      }
    }
    let places = digits.indices
    func without(_ place: Int) -> [Character] { Array(digits[..<place] + digits[(place + 1)...]) }
    return [
      numbers(
        places.dropLast().map { place in
          var swapped = digits
          swapped.swapAt(place, place + 1)
          return swapped
        }),
      numbers(places.dropLast().filter { digits[$0] == digits[$0 + 1] }.map(without)),
      numbers(places.map(without)),
      numbers(
        (0...digits.count).flatMap { place in
          "0123456789".map { Array(digits[..<place]) + [$0] + Array(digits[place...]) }
        }),
      // Numbers with one or two digits are too short for a useful suggestion.
      numbers(
        digits.count < 3
          ? []
          : places.flatMap { place in
            "0123456789".map { digit in
              var wrong = digits
              wrong[place] = digit
              return wrong
            }
          }),
    ]
  }

  /// Returns the most likely group of existing numbers; empty if it is too large to list.
  static func meant(by number: Int64, among there: Set<Int64>) -> [Int64] {
    let group = near(number).lazy.map { $0.filter(there.contains) }.first { !$0.isEmpty } ?? []
    return group.count <= 3 ? group : []
  }
}

extension ArticleNumber: RecordValue {
  var recordText: String { description }

  /// Writes a number in the main store, and a string in an attached one.
  func writeJSON(to json: inout JSONText) {
    if store == nil { json.raw(description) } else { json.string(description) }
  }
}

extension DataSource {
  /// Returns the message for a number that no article has, with the article that may be meant.
  @MainActor
  func noArticle(_ number: ArticleNumber) throws(StoreError) -> String {
    guard number.store == nil else { return "\(number): no such article; newsimport list shows the numbers" }
    let near = ArticleNumber.near(number.key).flatMap { $0 }
    let articles = try context.fetch(FetchRequest(Article.self, where: .ids(near.compactMap(articleID))))
    let titles = Dictionary(
      articles.map { ($0.id.key, $0.listTitle) },
      uniquingKeysWith: { first, _ in first })
    let meant = ArticleNumber.meant(by: number.key, among: Set(titles.keys)).map { key in
      "\(key) (\(DisplayWidth.cut(printable(titles[key] ?? ""), to: 40)))"
    }
    let hint =
      meant.isEmpty
      ? "newsimport list shows their numbers" : "did you mean \(meant.joined(separator: ", or "))?"
    return "\(number): no such article; \(hint)"
  }

  /// Reports numbers that no article has, one per line, up to a limit.
  ///
  /// - Returns: The failure that ends the command, with its lines already printed; nil without such numbers.
  @MainActor
  func reportMissing(_ numbers: [ArticleNumber]) throws(StoreError) -> CommandFailure? {
    guard !numbers.isEmpty else { return nil }
    for number in numbers.prefix(20) {
      Output.error.warn(printable(try noArticle(number)))
    }
    if numbers.count > 20 {
      Output.error.warn("\(grouped(numbers.count - 20)) more numbers have no article")
    }
    return CommandFailure(.noInput)
  }
}
