import NewsConfiguration

/// The page newsimport(1), generated from the commands' own descriptions.
struct CommandManual {
  private let program: CommandDescription
  private let commands: [(name: String, command: CommandDescription)]

  /// - Throws: `DecodingError` if the option parser describes the commands in another form.
  init() throws {
    program = try CommandDescription.of(NewsImport.self)
    commands = program.leaves()
  }

  /// An option that this many commands share, with the same help text, is explained only once.
  private static let many = 4

  /// The options before the commands: the program's options, and the options that many commands share.
  private var shared: [CommandDescription.Argument] {
    var counts: [CommandDescription.Argument: Int] = [:]
    var order: [CommandDescription.Argument] = []
    for argument in commands.flatMap({ $0.command.arguments ?? [] }) where !argument.isPositional {
      if counts[argument, default: 0] == 0 { order.append(argument) }
      counts[argument, default: 0] += 1
    }
    return order.filter { counts[$0, default: 0] >= Self.many && $0.shouldDisplay }
  }

  /// The whole page as troff.
  var page: String {
    let abstract = program.abstract ?? ""
    var page = ManualPage(
      "newsimport", section: 1, "User Commands",
      abstract: abstract.prefix(1).lowercased() + abstract.dropFirst().prefix { $0 != "." })
    page.section("Synopsis")
    for (name, command) in commands { page.synopsis(synopsis(name, command)) }
    page.section("Description")
    page.paragraphs(
      """
      \(abstract)
      Results are printed on standard output, messages on standard error. Control characters in text from feeds \
      are escaped.

      \(NewsImport.places)
      """)
    page.section("Options")
    let shared = shared
    for argument in shared { page.item(term(argument), argument.explanation) }
    page.section("Commands")
    for (name, command) in commands { describe(name, command, without: Set(shared), in: &page) }
    page.section("Machine output")
    page.paragraphs(Self.machineOutput)
    page.section("Exit status")
    page.item(ManualPage.bold("0"), sentence(ExitStatus.success))
    for status in ExitStatus.allCases {
      let text = [status.meaning, status.advice].compactMap(\.self).joined(separator: "; ")
      page.item(ManualPage.bold("\(status.rawValue)"), sentence(text))
    }
    page.section("Environment")
    for (name, meaning) in Self.environment { page.item(ManualPage.bold(name), meaning) }
    page.section("Files")
    for (name, meaning) in Self.files { page.item(ManualPage.italic(name), meaning) }
    page.section("Examples")
    page.paragraphs(NewsImport.examples.split(separator: "\n").map { "  \($0)" }.joined(separator: "\n"))
    page.paragraphs("Every ten minutes, from cron, or from the timer that is installed with the program:")
    page.paragraphs(
      "  */10 * * * *  newsimport fetch --due --quiet\n  systemctl --user enable --now newsimport.timer")
    page.section("See also")
    page.paragraphs("newsimport.toml(5), crontab(5), systemd.timer(5), sqlite3(1)")
    return page.text
  }

  private func describe(
    _ name: String, _ command: CommandDescription, without shared: Set<CommandDescription.Argument>,
    in page: inout ManualPage
  ) {
    page.subsection(name)
    page.paragraphs(command.abstract ?? "")
    if let discussion = command.discussion { page.paragraphs(Self.separatingParts(discussion)) }
    for argument in command.arguments ?? [] where argument.shouldDisplay && !shared.contains(argument) {
      page.item(term(argument), argument.explanation)
    }
  }

  /// Returns a command's synopsis, word by word, with markup.
  private func synopsis(_ name: String, _ command: CommandDescription) -> [String] {
    let arguments = command.shownArguments
    return [ManualPage.bold(name)]
      + arguments.filter { !$0.isPositional }.map { "[" + spelled($0, $0.spellings.suffix(1)) + "]" }
      + arguments.filter(\.isPositional).map { argument in
        let value = term(argument)
        return argument.isOptional ? "[\(value)]" : value
      }
  }

  private func term(_ argument: CommandDescription.Argument) -> String {
    if argument.isPositional {
      return ManualPage.italic(argument.valueName ?? "") + (argument.isRepeating ? "..." : "")
    }
    return spelled(argument, argument.spellings[...])
  }

  private func spelled(_ argument: CommandDescription.Argument, _ names: ArraySlice<String>) -> String {
    let value = argument.kind == "option" ? " " + ManualPage.italic(argument.valueName ?? "") : ""
    return names.map(ManualPage.bold).joined(separator: ", ") + value
  }

  /// Separates examples and exit statuses as paragraphs. An example on its heading's line gets its own line.
  private static func separatingParts(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      if let match = line.wholeMatch(of: #/(Examples?:) +(.+)/#) {
        return "\n\(match.output.1)\n  \(match.output.2)"
      }
      return line.hasPrefix("Example") || line.hasPrefix("Exit status:") ? "\n\(line)" : String(line)
    }.joined(separator: "\n")
  }

  private func sentence(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() + "." }

  private static let machineOutput = """
    With --json, a command prints one JSON object per line (UTF-8, control characters escaped). A field without a value is null, and \
    dates are RFC 3339 in UTC. This is version \(Version.output) of the output; newsimport --version prints it in its last line. \
    Within a version, new fields are only added, at the end of a line; fields are never renamed, removed or given another meaning.
    """

  private static let environment = [
    ("NEWSIMPORT_STORE", "The store, unless --store names it."),
    ("NEWSIMPORT_CONFIG", "The configuration, unless --config names it."),
    (
      "XDG_DATA_HOME, XDG_CONFIG_HOME",
      "The folders for data and for settings; by default ~/.local/share and ~/.config."
    ),
    (
      "https_proxy, HTTPS_PROXY, http_proxy, all_proxy, ALL_PROXY, no_proxy, NO_PROXY",
      "The proxies for requests, and the hosts that are reached without a proxy."
    ),
    (
      "CURL_CA_BUNDLE, SSL_CERT_FILE",
      "A PEM file with the trusted certificates, instead of the system's; the first that is set."
    ),
    ("NO_COLOR, TERM", "If NO_COLOR is set, or TERM is dumb, terminals show no colours."),
    ("TZ", "The time zone of dates for people; machine output is in UTC."),
  ]

  private static let files = [
    (
      "~/.local/share/newsimport/news.sqlite",
      "The store: a SQLite file that other programs may read at any time."
    ),
    ("~/.config/newsimport/config.toml", "The configuration, see newsimport.toml(5); optional."),
  ]
}
