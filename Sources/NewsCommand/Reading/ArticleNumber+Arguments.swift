import ArgumentParser
import ArticleDocuments
import Foundation
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

extension ArticleNumber {
  /// The message for a number that no article has.
  var missing: String { "\(self): no such article; newsimport list shows the numbers" }
}

extension CommandFailure {
  /// Reports numbers that no article has, one per line, up to a limit.
  ///
  /// - Returns: The failure that ends the command, with its lines already printed; nil without such numbers.
  @MainActor
  static func reporting(missing numbers: [ArticleNumber]) -> CommandFailure? {
    guard !numbers.isEmpty else { return nil }
    for number in numbers.prefix(20) { Output.error.warn(printable(number.missing)) }
    if numbers.count > 20 {
      Output.error.warn("\(grouped(numbers.count - 20)) more numbers have no article")
    }
    return CommandFailure(.noInput)
  }
}
