/// A command that is interrupted, with the commands before it.
struct Scenario: Sendable {
  /// The program's arguments, with places that ``World`` replaces: `FEEDS` for the addresses of the feeds, `FEED` for
  /// the first one, `RENAMED` for a new address, `LARGE` for the large one, and a file's name that begins with `@` for
  /// its path.
  typealias Arguments = [String]

  let name: String
  var feeds = 2
  /// The commands that make the store on which the command runs.
  var before: [Arguments] = []
  /// The configuration of all commands; empty for none.
  var configuration = ""
  /// The revision of the feeds while the command runs.
  var revision = 1
  let command: Arguments
  /// The command that completes the work after a fault; nil for the same command.
  var repair: Arguments?
  /// The exit statuses of that command. It may find its work done.
  var repairStatuses: Set<Int32> = [0]
  /// The size above which a response is saved in parts; nil for the program's own.
  var wholeBytes: Int?
  /// The number of feeds from which a first import uses a rollback journal; nil for the program's own.
  var bulkFeeds: Int?
  /// The programs that may use the store at the same time without a different result.
  var companions: [Companion] = [.reader, .watch, .search]
  /// True if the store begins as a file of an earlier version of the program.
  var isEarlierVersion = false

  static let all: [Scenario] = {
    let added: Arguments = ["region", "add", "world", "FEEDS"]
    let fetched: [Arguments] = [added, ["fetch", "world"]]
    let notThere: Set<Int32> = [0, 66]
    let withImport: [Companion] = [.reader, .watch, .search, .importer]
    return [
      Scenario(name: "region add", command: added),
      Scenario(
        name: "first fetch", before: [added], command: ["fetch", "world"], companions: withImport),
      Scenario(
        name: "first fetch in bulk", feeds: 12, before: [added], command: ["fetch", "world"], bulkFeeds: 12,
        companions: withImport),
      Scenario(
        name: "second fetch", before: fetched, revision: 2, command: ["fetch", "world"],
        companions: withImport),
      Scenario(
        name: "response in parts", before: [["region", "add", "world", "LARGE"]],
        command: ["fetch", "world"],
        wholeBytes: 32 << 10, companions: withImport),
      Scenario(name: "search", before: fetched, command: ["search", "word1"]),
      Scenario(
        name: "store index", before: fetched + [["search", "word1"], ["revision 2"], ["fetch", "world"]],
        revision: 2, command: ["store", "index"], companions: withImport),
      Scenario(
        name: "prune", before: fetched, command: ["prune", "--keep-last", "1", "--yes"],
        companions: withImport),
      Scenario(
        // The edited article waits for the hook, which fails, and stays.
        name: "prune with a hook",
        before: fetched + [["revision 2"], ["fetch", "world", "--mail-after", "9"]],
        configuration: "[region.world]\non_edited = [\"/bin/false\"]\n", revision: 2,
        command: ["prune", "--keep-last", "1", "--yes"]),
      Scenario(
        name: "archive", before: fetched,
        command: ["archive", "--before", "2100-01-01", "--to", "@old.sqlite"],
        companions: withImport),
      Scenario(
        name: "mark", before: fetched, command: ["mark", "read", "--region", "world"],
        companions: withImport),
      Scenario(
        name: "region rename", before: fetched, command: ["region", "rename", "world", "earth"],
        repairStatuses: notThere),
      Scenario(
        name: "region remove", before: fetched, command: ["region", "remove", "world", "--yes"],
        repairStatuses: notThere),
      Scenario(
        name: "feed rename", before: fetched,
        command: ["feed", "rename", "FEED", "http://127.0.0.1:9/new.xml"],
        repairStatuses: notThere),
      Scenario(
        name: "feed remove", before: fetched, command: ["feed", "remove", "FEED", "--yes"],
        repairStatuses: notThere),
      Scenario(
        name: "opml import", feeds: 5, command: ["opml", "import", "--region", "tech", "@feeds.opml"]),
      Scenario(
        name: "store backup", before: fetched, command: ["store", "backup", "@copy.sqlite"],
        repair: ["store", "check"]),
      Scenario(name: "store vacuum", before: fetched, command: ["store", "vacuum"]),
      Scenario(
        name: "store attach", before: fetched + [["store", "backup", "@other.sqlite"]],
        command: ["store", "attach", "@other.sqlite", "--name", "other"], repairStatuses: [0, 64]),
      Scenario(
        name: "migration", command: ["mark", "read", "--region", "world"], isEarlierVersion: true),
    ]
  }()
}
