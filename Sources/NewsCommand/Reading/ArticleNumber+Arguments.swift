import ArgumentParser
import ArticleDocuments
import Foundation
import HTMLText
import ManagedContext
import NewsModel
import TextOutput

extension ArticleNumber {
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
