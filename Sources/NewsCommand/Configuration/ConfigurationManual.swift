import NewsConfiguration
import TextOutput

/// The page newsimport.toml(5), generated from the tables that the configuration's reader uses.
enum ConfigurationManual {
  /// The whole page as troff.
  static var page: String {
    var page = ManualPage(
      "newsimport.toml", section: 5, "File Formats", abstract: "the configuration of newsimport")
    page.section("Description")
    page.paragraphs(
      """
      The configuration is a TOML file of at most 1 MiB, in UTF-8: --config, or else $NEWSIMPORT_CONFIG, or else \
      $XDG_CONFIG_HOME/newsimport/config.toml, by default ~/.config/newsimport/config.toml. Every key is optional. \
      A key that is not listed here is an error.

      Sizes are numbers of bytes, or texts with B, kB, KiB, MB, MiB, GB or GiB. Durations are texts with s, min, h, \
      d or w, such as "90s" or "2w".
      """)
    page.section("Keys")
    for table in tables(from: .document) { describe(table, in: &page) }
    page.section("Examples")
    page.paragraphs(example.split(separator: "\n").map { "  \($0)" }.joined(separator: "\n"))
    page.paragraphs(
      "newsimport config check prints the settings in force, or the errors; with errors, it exits with \(ExitStatus.configuration.rawValue)."
    )
    page.section("See also")
    page.paragraphs("newsimport(1)")
    return page.text
  }

  /// Returns a table and the tables in it, each once, in file order.
  static func tables(from table: ConfigurationTable) -> [ConfigurationTable] {
    var found = [table]
    for inner in table.keys.compactMap(\.form.table).flatMap(tables(from:))
    where !found.contains(where: { $0.title == inner.title }) {
      found.append(inner)
    }
    return found
  }

  private static func describe(_ table: ConfigurationTable, in page: inout ManualPage) {
    page.subsection(table.title.isEmpty ? "The file" : table.title)
    page.paragraphs(table.meaning)
    for key in table.keys { page.item(ManualPage.bold(key.name), explanation(of: key)) }
  }

  private static func explanation(of key: ConfigurationKey) -> String {
    let form = key.form
    let range =
      form.limits.map { ", from \(durationText($0.lowerBound)) to \(durationText($0.upperBound))" } ?? ""
    let place = form.table.map { $0.title.isEmpty ? "" : ", \($0.title)" } ?? ""
    let standard = key.standard.map { "; default: \($0)" } ?? ""
    let value = form.summary
    return "\(key.meaning) \(value.prefix(1).uppercased())\(value.dropFirst())\(range)\(place)\(standard)."
  }

  private static let example = """
    contact = "me@example.org"
    [fetch]
    jobs = 32
    [schedule]
    floor = "2h"
    [retention]
    keep = "90d"
    [region.world]
    interval = "30min"
    keep = "forever"
    [[feed]]
    url = "https://members.example.com/feed.xml"
    headers = { "X-Key" = { env = "MEMBERS_KEY" } }
    auth = { basic = { user = "reader", password_env = "MEMBERS_PASSWORD" } }
    """
}

extension ConfigurationForm {
  /// The table in the value; nil for a value without one.
  fileprivate var table: ConfigurationTable? {
    switch self {
    case .table(let table), .tables(let table), .textOrTable(let table): table
    case .named(let form): form.table
    default: nil
    }
  }
}
