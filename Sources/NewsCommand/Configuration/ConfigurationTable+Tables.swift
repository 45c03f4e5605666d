import FeedImport
import Foundation
import TextOutput

extension ConfigurationTable {
  private static let own = ImportOptions(userAgent: "")

  /// The whole file.
  static let document = ConfigurationTable(
    title: "", meaning: "Keys outside of any table come first in the file.",
    keys: [
      ConfigurationKey(
        "contact", .text,
        """
        How publishers can reach you: a mail address, or the address of a page (http or https). It stands in the \
        User-Agent of every request, which without it names the program alone.
        """),
      ConfigurationKey(
        "user_agent", .text, standard: "the program with its version, and contact", "The whole User-Agent."),
      ConfigurationKey("fetch", .table(fetch), "How downloads go."),
      ConfigurationKey("schedule", .table(schedule), "How often feeds are asked."),
      ConfigurationKey("retention", .table(retention), "How long articles are kept."),
      ConfigurationKey("region", .named(.table(region)), "What holds for the feeds of a region."),
      ConfigurationKey("feed", .tables(feed), "What holds for one feed."),
    ])

  private static let fetch = ConfigurationTable(
    title: "[fetch]", meaning: "How downloads go. Options of the command line win over these.",
    keys: [
      ConfigurationKey("jobs", .whole(1...1024), standard: "\(own.jobs)", "Transfers at once."),
      ConfigurationKey("per_host", .whole(1...64), standard: "\(own.perHost)", "Of these to one host."),
      ConfigurationKey(
        "timeout", .seconds(0.001...86400), standard: spelled(own.timeout),
        "The time that one transfer may take."),
      ConfigurationKey(
        "connect_timeout", .seconds(0.001...3600), standard: spelled(own.connectTimeout),
        "The time until a connection stands."),
      ConfigurationKey(
        "max_body", .bytes, standard: "\"\(own.maxBody >> 20)MiB\"", "The size of one feed after decoding."),
      ConfigurationKey(
        "public_only", .flag, standard: "\(own.publicOnly)",
        "Whether addresses of private networks and of this machine are refused, behind redirects too."),
    ])

  private static let interval = FeedSettings.shortestInterval...FeedSettings.longestInterval

  private static let schedule = ConfigurationTable(
    title: "[schedule]", meaning: "How often feeds are asked by fetch --due.",
    keys: [
      ConfigurationKey(
        "floor", .duration(interval), standard: spelled(own.schedule.floor),
        "No feed is asked more often by itself."),
      ConfigurationKey(
        "ceiling", .duration(interval), standard: spelled(own.schedule.ceiling),
        "No feed is asked less often, unless its publisher asks for that. Not below floor."),
    ])

  private static let retention = ConfigurationTable(
    title: "[retention]",
    meaning: """
      How long the articles of all feeds are kept of which no other table says it. Articles are deleted by newsimport \
      prune alone, and by no fetch; one that is starred is never deleted. With both keys an article stays for as long as \
      one of them keeps it.
      """,
    keys: keeping(standard: "\"forever\""))

  /// The keys of a retention.
  private static func keeping(standard: String) -> [ConfigurationKey] {
    [
      ConfigurationKey(
        "keep", .keeping(Retention.ages), standard: standard,
        "Articles younger than this stay, by the date of publication, else that of the import."),
      ConfigurationKey("keep_last", .whole(Retention.counts), "So many of a feed's newest articles stay."),
    ]
  }

  private static let region = ConfigurationTable(
    title: "[region.NAME]",
    meaning: """
      What holds for the feeds of a region; a name with spaces stands in quotation marks. Of several regions of a feed \
      the shortest interval wins, and so does the longest time to keep articles; where they differ in anything else, \
      the feed needs a table of its own.
      """,
    keys: settings)

  private static let feed = ConfigurationTable(
    title: "[[feed]]", meaning: "What holds for one feed, before anything that its regions say.",
    keys: [
      ConfigurationKey(
        "url", .text, "Which feed: its address, as newsimport region list --json has it. Required.")
    ] + settings)

  /// The keys of regions and feeds.
  private static let settings =
    [
      ConfigurationKey(
        "interval", .duration(interval), standard: "the feed's own rhythm",
        "The time between two fetches. A publisher who asks for more time gets it all the same."),
      ConfigurationKey("user_agent", .text, standard: "user_agent of the file", "The whole User-Agent."),
      ConfigurationKey(
        "headers", .named(.textOrTable(secret)),
        """
        Header fields of requests, by their names. They go to the feed's own scheme, host and port only. A secret value \
        is { file = \"/path\" } or { env = \"VAR\" }.
        """),
      ConfigurationKey(
        "auth", .table(auth),
        "Who asks: basic, or bearer_file, or bearer_env. As for headers, nobody else is told."),
      ConfigurationKey(
        "skip", .patterns,
        """
        Articles that have one of these texts in that field are not saved: title, url, author or tag. Upper and lower \
        case are the same. What is saved already stays, and is not updated any more; what was left out comes \
        once it no longer is and its feed has changed.
        """),
      ConfigurationKey("only", .patterns, "Articles that have none of these texts are not saved."),
    ] + keeping(standard: "that of [retention]")

  private static let secret = ConfigurationTable(
    title: "headers.FIELD = { … }",
    meaning: "Where the value of a header field is that does not belong in the file: one of these.",
    keys: [
      ConfigurationKey("file", .text, "A file of one line that nobody else may read (chmod 600)."),
      ConfigurationKey("env", .text, "The name of an environment variable."),
    ])

  private static let auth = ConfigurationTable(
    title: "auth = { … }",
    meaning: """
      The credentials for a region or a feed: one of these. Secrets never stand in the file. A path is relative to the \
      file's folder; ~/ is your home.
      """,
    keys: [
      ConfigurationKey("basic", .table(basic), "A user and a password (HTTP Basic)."),
      ConfigurationKey("bearer_file", .text, "A file with a token that nobody else may read (chmod 600)."),
      ConfigurationKey("bearer_env", .text, "The name of an environment variable that has a token."),
    ])

  private static let basic = ConfigurationTable(
    title: "auth.basic = { … }", meaning: "A user, and where the password is: one of the two.",
    keys: [
      ConfigurationKey("user", .text, "The name that the server knows. Required; without a colon."),
      ConfigurationKey(
        "password_file", .text, "A file with the password that nobody else may read (chmod 600)."),
      ConfigurationKey("password_env", .text, "The name of an environment variable that has the password."),
    ])

  /// Returns a duration as written in the file.
  private static func spelled(_ seconds: TimeInterval) -> String {
    "\"\(durationText(seconds).replacing(" ", with: ""))\""
  }
}
