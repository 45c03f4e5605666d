import ArgumentParser

/// Finds the option of a command line that its command does not have.
///
/// The option parser tells of what is missing or does not go together before it tells of one, which is then misleading.
enum MistypedOption {
  /// What to tell of it; nil where each is one, or where that cannot be known.
  ///
  /// - Parameter arguments: What stands behind the program's name.
  static func message(_ arguments: some Sequence<String>) -> String? {
    guard let program = try? CommandDescription.program() else { return nil }
    var command = program
    var path = program.commandName
    var words = Array(arguments)[...]
    while let word = words.first, let next = command.subcommands?.first(where: { $0.commandName == word }) {
      (command, words) = (next, words.dropFirst())
      path += " \(word)"
    }
    let known = (command.arguments ?? []).flatMap(\.spellings) + unlisted
    for word in words.prefix(while: { $0 != "--" }) {
      guard let name = unknownOption(in: word, known) else { continue }
      let shown = (command.arguments ?? []).filter(\.shouldDisplay).flatMap(\.spellings)
      let meant =
        name.hasPrefix("--") ? nearestWord(to: name, among: shown.filter { $0.hasPrefix("--") }) : nil
      let hint = meant.map { "did you mean \($0)?" } ?? "\(path) --help lists them"
      return "\(name): no such option of \(path); \(hint)"
    }
    return nil
  }

  /// What the option parser understands and does not tell of.
  private static let unlisted = ["--generate-completion-script", "--experimental-dump-help", "--help-hidden"]

  /// The option in a word; nil for known ones and for what is none.
  private static func unknownOption(in word: String, _ known: [String]) -> String? {
    if word.hasPrefix("--") {
      let name = String(word.prefix { $0 != "=" })
      return known.contains(name) ? nil : name
    }
    // Several letters may stand together; what has other characters is a value.
    guard word.hasPrefix("-"), word.count > 1, word.dropFirst().allSatisfy(\.isLetter) else { return nil }
    return word.dropFirst().map { "-\($0)" }.first { !known.contains($0) }
  }
}
