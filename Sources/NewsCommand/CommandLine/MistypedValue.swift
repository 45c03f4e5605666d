/// Finds a value on a command line that is not one of those that its option or argument takes.
enum MistypedValue {
  /// Returns the message; nil if all such values exist.
  ///
  /// - Parameter call: A command line whose options all exist.
  static func message(_ call: CommandDescription.Call) -> String? {
    let (command, path, words) = call
    for (argument, word) in values(words, of: command) {
      guard let known = argument.allValues, !known.contains(word) else { continue }
      let named =
        argument.isPositional
        ? "\(word): no such \(argument.valueName ?? "value")"
        : "\(argument.spellings.last ?? "") \(word): no such value"
      let hint =
        suggestion(for: word, among: known) ?? "the values are \(known.joined(separator: ", "))"
      return "\(named) of \(path); \(hint)"
    }
    return nil
  }

  /// Returns the values of a command line with the options and arguments that they belong to.
  private static func values(
    _ words: ArraySlice<String>, of command: CommandDescription
  ) -> [(CommandDescription.Argument, String)] {
    let arguments = command.arguments ?? []
    var positional = arguments.filter(\.isPositional)[...]
    var values: [(CommandDescription.Argument, String)] = []
    var rest = words
    var mayBeOption = true
    while let word = rest.popFirst() {
      guard mayBeOption, word.hasPrefix("-") else {
        guard let argument = positional.first else { continue }
        values.append((argument, word))
        if !argument.isRepeating { positional.removeFirst() }
        continue
      }
      if word == "--" {
        mayBeOption = false
        continue
      }
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard let option = arguments.first(where: { $0.kind == "option" && $0.spellings.contains(parts[0]) }),
        let value = parts.count > 1 ? parts[1] : rest.popFirst()
      else { continue }
      values.append((option, value))
    }
    return values
  }
}
