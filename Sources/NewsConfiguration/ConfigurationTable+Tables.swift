import FeedImport
import Foundation
import NewsModel
import TextOutput

extension ConfigurationTable {
  private static let own = ImportOptions(userAgent: "")

  /// The whole file.
  package static let document = ConfigurationTable(
    title: "", meaning: "Keys outside of all tables come first in the file.",
    keys: [
      ConfigurationKey(
        "contact", .text,
        """
        The contact for publishers: a mail address, or the address of a page (http or https). It is part of the \
        User-Agent of every request, which otherwise names only the program.
        """),
      ConfigurationKey(
        "user_agent", .text, standard: "the program with its version, and contact", "The complete User-Agent."
      ),
      ConfigurationKey(
        "pager", .text, standard: "$PAGER, or else less",
        """
        The command that shows long output on a terminal, unless NEWSIMPORT_PAGER names one; an empty text for none. Without \
        LESS in the environment, less gets the options FRX.
        """),
      ConfigurationKey("fetch", .table(fetch), "The settings of downloads."),
      ConfigurationKey("schedule", .table(schedule), "The limits of polling intervals."),
      ConfigurationKey("retention", .table(retention), "The retention of articles."),
      ConfigurationKey("region", .named(.table(region)), "The settings for the feeds of a region."),
      ConfigurationKey("feed", .tables(feed), "The settings for one feed."),
      ConfigurationKey("query", .named(.table(query)), "A choice of articles."),
    ])

  private static let fetch = ConfigurationTable(
    title: "[fetch]", meaning: "The settings of downloads. Options of the command line take precedence.",
    keys: [
      ConfigurationKey(
        "jobs", .whole(FetchSettings.jobsRange), standard: "\(own.jobs)",
        "The number of concurrent transfers."),
      ConfigurationKey(
        "per_host", .whole(FetchSettings.perHostRange), standard: "\(own.perHost)",
        "The number of concurrent transfers to one host."),
      ConfigurationKey(
        "timeout", .seconds(0.001...FetchSettings.longestTimeout), standard: spelled(own.timeout),
        "The longest time of one transfer."),
      ConfigurationKey(
        "connect_timeout", .seconds(0.001...3600), standard: spelled(own.connectTimeout),
        "The longest time until a connection is established."),
      ConfigurationKey(
        "max_body", .bytes, standard: "\"\(own.maxBody >> 20)MiB\"", "The largest feed after decoding."),
      ConfigurationKey(
        "public_only", .flag, standard: "\(own.publicOnly)",
        "True to refuse addresses of private networks and of this machine, also after redirects."),
    ])

  private static let interval = FeedSettings.shortestInterval...FeedSettings.longestInterval

  private static let schedule = ConfigurationTable(
    title: "[schedule]", meaning: "The limits of the polling intervals of fetch --due.",
    keys: [
      ConfigurationKey(
        "floor", .duration(interval), standard: spelled(own.schedule.floor),
        "The shortest polling interval that the program chooses."),
      ConfigurationKey(
        "ceiling", .duration(interval), standard: spelled(own.schedule.ceiling),
        "The longest polling interval, unless the publisher asks for a longer one. At least floor."),
    ])

  private static let retention = ConfigurationTable(
    title: "[retention]",
    meaning: """
      The retention of the articles of feeds for which no other table states one. newsimport prune deletes the other \
      articles; newsimport fetch does so only with auto. Starred articles are never deleted. With both keys, an article is kept as long as \
      one of them keeps it.
      """,
    keys: keeping(standard: "\"forever\"") + [
      ConfigurationKey(
        "auto", .flag, standard: "false",
        """
        True if the first newsimport fetch of a day deletes what newsimport prune --yes would delete, in all feeds, also those \
        with a retention of their own.
        """)
    ])

  /// The keys for a retention.
  private static func keeping(standard: String) -> [ConfigurationKey] {
    [
      ConfigurationKey(
        "keep", .keeping(Retention.ages), standard: standard,
        "Articles younger than this are kept, by the date of their publication, or else of their import."),
      ConfigurationKey(
        "keep_last", .whole(Retention.counts), "This number of a feed's newest articles is kept."),
    ]
  }

  private static let region = ConfigurationTable(
    title: "[region.NAME]",
    meaning: """
      The settings for the feeds of a region; a name with spaces needs quotation marks. If a feed is in several regions, \
      the shortest interval and the longest retention apply; if the regions differ in any other setting, \
      the feed needs a table of its own.
      """,
    keys: settings)

  private static let feed = ConfigurationTable(
    title: "[[feed]]", meaning: "The settings for one feed, which take precedence over those of its regions.",
    keys: [
      ConfigurationKey(
        "url", .text, "The address of the feed, as printed by newsimport region list --json. Required.")
    ] + settings)

  /// The keys for regions and feeds.
  private static let settings =
    [
      ConfigurationKey(
        "interval", .duration(interval), standard: "half the feed's publishing interval",
        "The time between two polls. A longer time that the publisher asks for still applies."),
      ConfigurationKey("user_agent", .text, standard: "user_agent of the file", "The complete User-Agent."),
      ConfigurationKey(
        "headers", .named(.textOrTable(secret)),
        """
        Header fields of requests, by their names. They go to the feed's own scheme, host and port only. A secret value \
        is { file = \"/path\" } or { env = \"VAR\" }.
        """),
      ConfigurationKey(
        "auth", .table(auth),
        "The credentials: basic, bearer_file or bearer_env. Like headers, they go to no other server."),
      ConfigurationKey(
        "skip", .patterns,
        """
        Articles with one of these texts in the field are not saved. Fields are title, url, author and tag. Upper and lower \
        case are the same. Articles that are already saved stay, but are no longer updated. A skipped article is saved \
        when it no longer matches and its feed has changed.
        """),
      ConfigurationKey("only", .patterns, "Articles with none of these texts are not saved."),
      ConfigurationKey(
        "volatile", .texts,
        """
        Fields that the server changes with each fetch, such as [\"summary\"]; newsimport doctor finds them. A change of these \
        alone is no edit: it does not count, watch does not print it, and only the first and the last values are kept. Fields are \
        \(Article.volatileNames.joined(separator: ", ")).
        """),
    ] + keeping(standard: "that of [retention]") + hooks

  private static let hooks = [
    ConfigurationKey(
      "on_new", .command,
      """
      A command that newsimport fetch, import and hooks run start for each new article, which it gets on its standard input. No shell reads the words. An article is handled when the command exits with 0; until then it is repeated.
      """),
    ConfigurationKey("on_edited", .command, "The same for each article that its publisher has edited."),
    ConfigurationKey(
      "hook_format", .choice(Hook.Format.allCases.map(\.rawValue)), standard: "\"json\"",
      """
      The form of the articles on the standard input: json, a line of JSON for each; mail, a message for sendmail and the like, \
      one for each command; mbox, a mailbox; text, as newsimport show prints it.
      """),
    ConfigurationKey(
      "hook_batch", .whole(HookSettings.batches), standard: "1",
      "The largest number of articles that a command gets at once; with hook_format = \"mail\", only 1."),
    ConfigurationKey(
      "hook_timeout", .seconds(HookSettings.timeouts), standard: spelled(HookSettings.standardTimeout),
      "The longest time of a command, which is then ended with all processes of its group."),
  ]

  private static let query = ConfigurationTable(
    title: "[query.NAME]",
    meaning: """
      A choice of articles, which commands take as @NAME wherever they take a region. The keys mean what the options of newsimport \
      list mean. An article must meet all of them.
      """,
    keys: [
      ConfigurationKey(
        "regions", .texts, standard: "all articles",
        "Regions, or other queries with an @: an article is in one of them."
      ),
      ConfigurationKey(
        "feeds", .texts, "Addresses of feeds, or parts of them: an article is of one of them."),
      ConfigurationKey("since", .text, "The earliest date, such as \"7d\", \"yesterday\" or \"2026-11-21\"."),
      ConfigurationKey("until", .text, "The date before which articles are chosen."),
      ConfigurationKey("imported_since", .text, "The earliest date of the import."),
      ConfigurationKey("unread", .flag, standard: "false", "True for articles that are not marked as read."),
      ConfigurationKey("read", .flag, standard: "false", "True for articles that are marked as read."),
      ConfigurationKey("starred", .flag, standard: "false", "True for starred articles."),
      ConfigurationKey(
        "edited", .flag, standard: "false", "True for articles that their publishers have edited."),
      ConfigurationKey(
        "copies", .flag, standard: "false",
        "True for every copy of an article that is in several feeds, of a query that is named alone."),
      ConfigurationKey("with_attachment", .flag, standard: "false", "True for articles with files."),
      ConfigurationKey("match", .text, "Words that articles must have, written as for newsimport search."),
      ConfigurationKey(
        "limit", .whole(1...1_000_000_000), "The largest number of articles, of a query that is named alone."),
    ] + hooks)

  private static let secret = ConfigurationTable(
    title: "headers.FIELD = { … }",
    meaning: "The location of a secret value of a header field: one of these.",
    keys: [
      ConfigurationKey("file", .text, "A file of one line that other users cannot read (chmod 600)."),
      ConfigurationKey("env", .text, "The name of an environment variable."),
    ])

  private static let auth = ConfigurationTable(
    title: "auth = { … }",
    meaning: """
      The credentials for a region or a feed: one of these. The file never contains secrets. A path is relative to the \
      file's folder; ~/ is your home.
      """,
    keys: [
      ConfigurationKey("basic", .table(basic), "A user and a password (HTTP Basic)."),
      ConfigurationKey("bearer_file", .text, "A file with a token that other users cannot read (chmod 600)."),
      ConfigurationKey("bearer_env", .text, "The name of an environment variable with a token."),
    ])

  private static let basic = ConfigurationTable(
    title: "auth.basic = { … }", meaning: "A user, and the location of the password: one of the two.",
    keys: [
      ConfigurationKey("user", .text, "The user's name at the server. Required; without a colon."),
      ConfigurationKey(
        "password_file", .text, "A file with the password that other users cannot read (chmod 600)."),
      ConfigurationKey("password_env", .text, "The name of an environment variable with the password."),
    ])

  /// Returns a duration as written in the file.
  private static func spelled(_ seconds: TimeInterval) -> String {
    "\"\(durationText(seconds).replacing(" ", with: ""))\""
  }
}
