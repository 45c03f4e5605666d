import Foundation

#if canImport(Glibc)
  import Glibc
#endif

/// The user's web browser.
@MainActor
enum Browser {
  /// The commands that may open an address, the preferred first, each as its words: the program and its arguments.
  ///
  /// They are those of `BROWSER`, separated by colons, in which `%s` stands for the address, that else comes last;
  /// then xdg-open where there is a display, which it needs to find more than a browser in a terminal.
  /// - Parameters:
  ///   - url: Becomes one argument, or a part of one; no shell ever reads it.
  ///   - environment: The variables of the process.
  nonisolated static func commands(opening url: String, environment: [String: String]) -> [[String]] {
    let named = (environment["BROWSER"] ?? "").split(separator: ":").map { command -> [String] in
      let words = command.split(separator: " ").map(String.init)
      let filled = words.map { $0.replacing("%s", with: url) }
      return words.isEmpty || filled != words ? filled : words + [url]
    }
    let hasDisplay = ["DISPLAY", "WAYLAND_DISPLAY"].contains { environment[$0]?.isEmpty == false }
    return named.filter { !$0.isEmpty } + (hasDisplay ? [["xdg-open", url]] : [])
  }

  /// Opens an address by the first command that succeeds, and waits for its end: it may be a browser in this terminal.
  ///
  /// - Returns: Whether one did.
  static func open(_ url: String) -> Bool { commands(opening: url).contains { run($0) } }

  /// Whether there is any command to try.
  static func mayOpen(_ url: String) -> Bool { !commands(opening: url).isEmpty }

  private static func commands(opening url: String) -> [[String]] {
    commands(opening: url, environment: ProcessInfo.processInfo.environment)
  }

  /// Runs a program that is looked up in PATH, with our descriptors, to its end.
  ///
  /// Not by Foundation's `Process`, which puts it in a process group of its own: it could not read from the terminal.
  private static func run(_ words: [String]) -> Bool {
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // What we ignore it would ignore, too.
    var signals = sigset_t()
    sigemptyset(&signals)
    for signal in [SIGPIPE, SIGXFSZ] { sigaddset(&signals, signal) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
    let ownMask = umask(ProcessSetup.userMask)
    defer { umask(ownMask) }

    let arguments = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var process = pid_t()
    guard posix_spawnp(&process, words[0], nil, &attributes, arguments, environ) == 0 else { return false }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 {
      guard errno == EINTR else { return false }
    }
    return status == 0
  }
}
