import PostgreSQLStore

/// Finds a server store's address where no store is named, such as after a forgotten `--store`.
///
/// Other messages would print it with its password.
enum MisplacedAddress {
  /// Returns the message about the first such address; nil without one.
  static func message(_ words: [String]) -> String? {
    // A shell asks for completions with the words of an unfinished command.
    if words.first?.hasPrefix("---") == true { return nil }
    let isCopy = words.starts(with: ["store", "copy"])
    for (place, word) in words.enumerated() {
      let isOption = word.hasPrefix("--")
      let value = isOption ? word.split(separator: "=", maxSplits: 1).last.map(String.init) ?? "" : word
      guard let address = StoreAddress(value) else { continue }
      let isStore = isOption ? word.hasPrefix("--store=") : place > 0 && words[place - 1] == "--store"
      if isStore || isCopy && !isOption { continue }
      // Words to search for may look like an address.
      if words.first == "search", address.withoutPassword == value { continue }
      return """
        \(address.withoutPassword): the address of a store is given with --store; newsimport store copy FROM TO copies a store to a \
        server or back
        """
    }
    return nil
  }
}
