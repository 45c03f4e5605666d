import ArgumentParser
import TextOutput

/// Finds the option of a command line that its command does not have.
///
/// The option parser tells of what is missing or does not go together before it tells of one, which is then misleading.
enum MistypedOption {
  /// What to tell of it; nil where each is one, or where that cannot be known.
  ///
  /// - Parameter arguments: What stands behind the program's name.
  static func message(_ arguments: some Sequence<String>) -> String? {
    guard let program = try? CommandDescription.of(NewsImport.self) else { return nil }
    var command = program
    var path = program.commandName
    var words = Array(arguments)[...]
    while let word = words.first, let next = command.subcommands?.first(where: { $0.commandName == word }) {
      (command, words) = (next, words.dropFirst())
      path += " \(word)"
    }
    let known = (command.arguments ?? []).flatMap(\.spellings) + unlisted
    let options = words.prefix { $0 != "--" }
    for (place, word) in zip(options.indices, options) {
      let next = options.dropFirst(place - options.startIndex + 1).first ?? ""
      if isBelowZero(next), !known.contains(next),
        command.arguments?.contains(where: { $0.kind == "option" && $0.spellings.contains(word) }) == true
      {
        return "\(word) \(next): values have no minus; write \(word) \(next.dropFirst())"
      }
      guard let name = unknownOption(in: word, known) else { continue }
      if command.commandName == SearchCommand.configuration.commandName, !name.hasPrefix("--") {
        return "\(name): no such option of \(path); \(leavingOut(name, beside: options, place))"
      }
      return "\(name): no such option of \(path); \(hint(name, before: next, of: command, path))"
    }
    return nil
  }

  /// What may be meant by an option that a command does not have.
  ///
  /// - Parameter next: The word behind it.
  private static func hint(
    _ name: String, before next: String, of command: CommandDescription, _ path: String
  ) -> String {
    let arguments = command.arguments ?? []
    if command.subcommands?.contains(where: { $0.knows(name) }) == true {
      return "it stands behind the command, as in \(path) list world \(name)"
    }
    if name == "--region", arguments.contains(where: { $0.kind == "positional" && $0.valueName == "region" })
    {
      let region = next.isEmpty || next.hasPrefix("-") ? "world" : shellWord(next)
      return "the region stands by itself, as in \(path) \(region)"
    }
    let shown = arguments.filter(\.shouldDisplay).flatMap(\.spellings).filter { $0.hasPrefix("--") }
    let meant = name.hasPrefix("--") ? nearestWord(to: name, among: shown) : nil
    return meant.map { "did you mean \($0)?" } ?? "\(path) --help lists them"
  }

  /// Whether a command line that the option parser answers itself asks for that: for help, whose `-h` it also finds among
  /// the letters of what is no option at all, or for completions, as the shells' scripts do.
  static func isAskingParser(_ arguments: some Sequence<String>) -> Bool {
    arguments.prefix { $0 != "--" }.contains {
      $0 == "-h" || $0.hasPrefix("--help") || $0 == "---completion"
    }
  }

  /// Whether a word is a number or a span of time with a minus, which the option parser takes for no value.
  private static func isBelowZero(_ word: String) -> Bool {
    word.hasPrefix("-") && word.dropFirst().first?.isNumber == true
  }

  /// How words are left out, told of one that is taken for an option.
  private static func leavingOut(_ name: String, beside words: ArraySlice<String>, _ place: Int) -> String {
    // A value of an option is no word to look for.
    let other =
      [place - 1, place + 1].first { index in
        guard words.indices.contains(index), !words[index].hasPrefix("-") else { return false }
        return index > place || !words.indices.contains(index - 1) || !words[index - 1].hasPrefix("--")
      }.map { words[$0] } ?? "WORD"
    return
      "words are left out inside of one argument, newsimport search \(shellWord("\(other) \(name)")), or with NOT"
  }

  /// What the option parser understands and does not tell of.
  private static let unlisted = ["--generate-completion-script", "--experimental-dump-help", "--help-hidden"]

  /// The option in a word; nil for known ones and for what is none.
  private static func unknownOption(in word: String, _ known: [String]) -> String? {
    if word.hasPrefix("--") {
      let name = String(word.prefix { $0 != "=" })
      return known.contains(name) ? nil : name
    }
    // Several letters may stand together; what begins otherwise is a value.
    let letters = word.dropFirst().prefix { $0 != "=" }
    guard word.hasPrefix("-"), letters.first?.isLetter == true else { return nil }
    return letters.allSatisfy { known.contains("-\($0)") } ? nil : "-\(letters)"
  }
}
