/// The command that shows long output page by page, chosen as git chooses it.
enum PagerCommand {
  /// Returns the command; nil to write to the terminal directly.
  ///
  /// - Parameters:
  ///   - configured: The command in the configuration; nil for none.
  ///   - environment: The program's environment.
  static func text(configured: String?, _ environment: [String: String]) -> String? {
    let own = environment["NEWSIMPORT_PAGER"]
    // A pager needs a terminal whose cursor it can move. A pager chosen for this program starts anyway.
    guard own != nil || ![nil, "", "dumb"].contains(environment["TERM"]) else { return nil }
    let text = own ?? configured ?? environment["PAGER"] ?? "less"
    let words = text.split(whereSeparator: \.isWhitespace)
    return words.isEmpty || words == ["cat"] ? nil : text
  }

  /// Returns the words that start a command: its own, or a shell's words if the command has characters that
  /// only a shell understands.
  static func words(of text: String) -> [String] {
    guard text.utf8.contains(where: special.contains) else {
      return text.split(whereSeparator: \.isWhitespace).map(String.init)
    }
    // If the shell does not find the program, nothing was read from the pipe yet.
    return ["/bin/sh", "-c", "\(text)\ncase $? in 126|127) exec cat;; esac", text]
  }

  private static let special = Set("|&;<>()$`\\\"'*?[#~=%\n".utf8)

  /// Returns the pager's environment: `less` ends if the output fits on the screen, shows colours, and leaves
  /// the output on the screen.
  static func environment(_ environment: [String: String]) -> [String: String] {
    environment.merging(["LESS": "FRX", "LV": "-c"]) { own, _ in own }
  }
}
