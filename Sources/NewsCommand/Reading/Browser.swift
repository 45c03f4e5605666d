import Foundation

/// The user's web browser.
@MainActor
enum Browser {
  /// Returns the commands that can open an address, in order of preference, each as a program and arguments.
  ///
  /// The commands in `BROWSER` come first. They are separated by colons; `%s` in a command is replaced by the
  /// address, which otherwise becomes the last argument. If a display exists, xdg-open follows; without one
  /// it would find only a browser in a terminal.
  /// - Parameters:
  ///   - url: Becomes an argument or a part of one; no shell ever reads it.
  ///   - environment: The process's variables.
  nonisolated static func commands(opening url: String, environment: [String: String]) -> [[String]] {
    let named = (environment["BROWSER"] ?? "").split(separator: ":").map { command -> [String] in
      let words = command.split(separator: " ").map(String.init)
      let filled = words.map { $0.replacing("%s", with: url) }
      return words.isEmpty || filled != words ? filled : words + [url]
    }
    let hasDisplay = ["DISPLAY", "WAYLAND_DISPLAY"].contains { environment[$0]?.isEmpty == false }
    return named.filter { !$0.isEmpty } + (hasDisplay ? [["xdg-open", url]] : [])
  }

  /// Opens an address with the first command that succeeds, and waits for its end: it may be a browser in
  /// this terminal.
  ///
  /// - Returns: True if a command succeeded.
  static func open(_ url: String) -> Bool {
    commands(opening: url).contains { UserProgram($0)?.wait() ?? false }
  }

  /// Returns true if a command to open the address exists.
  static func mayOpen(_ url: String) -> Bool { !commands(opening: url).isEmpty }

  private static func commands(opening url: String) -> [[String]] {
    commands(opening: url, environment: ProcessInfo.processInfo.environment)
  }
}
