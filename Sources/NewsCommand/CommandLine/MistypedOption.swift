import ArgumentParser
import TextOutput

/// Finds an option of a command line that its command does not have.
///
/// The option parser reports missing and conflicting arguments before unknown options, which is misleading.
enum MistypedOption {
  /// Returns the message; nil if all options exist.
  static func message(_ call: CommandDescription.Call) -> String? {
    let (command, path, words) = call
    let known = (command.arguments ?? []).flatMap(\.spellings) + unlisted
    let options = words.prefix { $0 != "--" }
    for (place, word) in zip(options.indices, options) {
      let next = options.dropFirst(place - options.startIndex + 1).first ?? ""
      if isBelowZero(next), !known.contains(next),
        command.arguments?.contains(where: { $0.kind == "option" && $0.spellings.contains(word) }) == true
      {
        return "\(word) \(next): values cannot be negative; write \(word) \(next.dropFirst())"
      }
      guard let name = unknownOption(in: word, known) else { continue }
      if command.commandName == SearchCommand.configuration.commandName, !name.hasPrefix("--") {
        return "\(name): no such option of \(path); \(leavingOut(name, beside: options, place))"
      }
      return "\(name): no such option of \(path); \(hint(name, before: next, of: command, path))"
    }
    return nil
  }

  /// Returns the option that may be meant by an unknown one.
  ///
  /// - Parameter next: The argument after the option.
  private static func hint(
    _ name: String, before next: String, of command: CommandDescription, _ path: String
  ) -> String {
    let arguments = command.arguments ?? []
    if command.subcommands?.contains(where: { $0.knows(name) }) == true {
      return "it follows the command, as in \(path) list world \(name)"
    }
    if name == "--region",
      arguments.contains(where: { $0.kind == "positional" && $0.valueName?.hasPrefix("region") == true })
    {
      let region = next.isEmpty || next.hasPrefix("-") ? "world" : shellWord(next)
      return "the region needs no option, as in \(path) \(region)"
    }
    let shown = arguments.filter(\.shouldDisplay).flatMap(\.spellings).filter { $0.hasPrefix("--") }
    let meant = name.hasPrefix("--") ? suggestion(for: name, among: shown) : nil
    return meant ?? "\(path) --help lists them"
  }

  /// Returns true if the option parser answers the command line itself: with help, for which it also accepts
  /// `-h` among the letters of an unknown option, or with completions, for the scripts of shells.
  static func isAskingParser(_ arguments: some Sequence<String>) -> Bool {
    arguments.prefix { $0 != "--" }.contains {
      $0 == "-h" || $0.hasPrefix("--help") || $0 == "---completion"
    }
  }

  /// Returns true if a word is a negative number or duration, which the option parser does not accept as a
  /// value.
  private static func isBelowZero(_ word: String) -> Bool {
    word.hasPrefix("-") && word.dropFirst().first?.isNumber == true
  }

  /// Returns the hint about excluding words from a search, for a word that looks like an option.
  private static func leavingOut(_ name: String, beside words: ArraySlice<String>, _ place: Int) -> String {
    // The value of an option is not a word of the search.
    let other =
      [place - 1, place + 1].first { index in
        guard words.indices.contains(index), !words[index].hasPrefix("-") else { return false }
        return index > place || !words.indices.contains(index - 1) || !words[index - 1].hasPrefix("--")
      }.map { words[$0] } ?? "WORD"
    return
      "exclude words inside one argument, newsimport search \(shellWord("\(other) \(name)")), or with NOT"
  }

  /// The options that the option parser accepts but does not list.
  private static let unlisted = ["--generate-completion-script", "--experimental-dump-help", "--help-hidden"]

  /// Returns the unknown option in a word; nil if the option is known, and for other words.
  private static func unknownOption(in word: String, _ known: [String]) -> String? {
    if word.hasPrefix("--") {
      let name = String(word.prefix { $0 != "=" })
      return known.contains(name) ? nil : name
    }
    // Several letters may follow one hyphen; other texts are values.
    let letters = word.dropFirst().prefix { $0 != "=" }
    guard word.hasPrefix("-"), letters.first?.isLetter == true else { return nil }
    return letters.allSatisfy { known.contains("-\($0)") } ? nil : "-\(letters)"
  }
}
