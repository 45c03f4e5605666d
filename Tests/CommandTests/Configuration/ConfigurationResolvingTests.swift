import FeedImport
import Testing

@testable import NewsCommand
@testable import NewsConfiguration
import TestSupport
import WebAddress

@Suite struct ConfigurationResolvingTests {
  private static let url: WebAddress = "https://a.example/feed"
  private static let key = ConfiguredHeader(name: "X-Key", value: .text("1"))

  private static func configuration(
    own: FeedSettings? = nil, _ regions: [String: FeedSettings]
  ) -> Configuration {
    var configuration = Configuration()
    configuration.regions = regions
    if let own { configuration.setTable(ofFeed: url, to: own) }
    return configuration
  }

  struct Case: Sendable {
    let title: String
    let configuration: Configuration
    var regions = ["a", "b"]
    let settings: FeedSettings
  }

  @Test(arguments: [
    Case(title: "nothing said", configuration: configuration([:]), settings: FeedSettings()),
    Case(
      title: "a region that the feed is not in",
      configuration: configuration(["c": FeedSettings(interval: 600)]),
      settings: FeedSettings()),
    Case(
      title: "one region of two",
      configuration: configuration(["a": FeedSettings(interval: 600, userAgent: "x")]),
      settings: FeedSettings(interval: 600, userAgent: "x")),
    Case(
      title: "the shortest interval",
      configuration: configuration([
        "a": FeedSettings(interval: 3600), "b": FeedSettings(interval: 1800),
      ]), settings: FeedSettings(interval: 1800)),
    Case(
      title: "its own, longer interval",
      configuration: configuration(
        own: FeedSettings(interval: 86400), ["a": FeedSettings(interval: 3600)]),
      settings: FeedSettings(interval: 86400)),
    Case(
      title: "headers of all, its own first",
      configuration: configuration(
        own: FeedSettings(headers: [ConfiguredHeader(name: "x-key", value: .text("own"))]),
        [
          "a": FeedSettings(headers: [key]),
          "b": FeedSettings(headers: [ConfiguredHeader(name: "X-Other", value: .text("2"))]),
        ]),
      settings: FeedSettings(headers: [
        ConfiguredHeader(name: "x-key", value: .text("own")),
        ConfiguredHeader(name: "X-Other", value: .text("2")),
      ])),
    Case(
      title: "regions that agree",
      configuration: configuration([
        "a": FeedSettings(headers: [key], credentials: .bearer(.environment("T"))),
        "b": FeedSettings(
          headers: [ConfiguredHeader(name: "x-key", value: .text("1"))],
          credentials: .bearer(.environment("T"))),
      ]), settings: FeedSettings(headers: [key], credentials: .bearer(.environment("T")))),
    Case(
      title: "regions that disagree where the feed has its own word",
      configuration: configuration(
        own: FeedSettings(userAgent: "own", headers: [key], credentials: .bearer(.environment("OWN"))),
        [
          "a": FeedSettings(
            userAgent: "a", headers: [ConfiguredHeader(name: "X-Key", value: .text("a"))],
            credentials: .bearer(.environment("A"))),
          "b": FeedSettings(
            userAgent: "b", headers: [ConfiguredHeader(name: "X-Key", value: .text("b"))],
            credentials: .bearer(.environment("B"))),
        ]),
      settings: FeedSettings(
        userAgent: "own", headers: [key], credentials: .bearer(.environment("OWN")))),
  ]) func `a feed's own settings override those of its regions`(_ test: Case) throws {
    #expect(
      try test.configuration.settings(ofFeed: Self.url, inRegions: test.regions) == test.settings,
      "\(test.title)")
  }

  @Test(arguments: [
    ("region.b.headers.X-Key", FeedSettings(headers: [ConfiguredHeader(name: "X-KEY", value: .text("2"))])),
    ("region.b.auth", FeedSettings(credentials: .bearer(.environment("OTHER")))),
    ("region.b.user_agent", FeedSettings(userAgent: "b")),
  ]) func `regions with conflicting settings are an error`(place: String, other: FeedSettings) {
    let first = FeedSettings(
      userAgent: "a", headers: [Self.key], credentials: .bearer(.environment("TOKEN")))
    let configuration = Self.configuration(["a": first, "b": other])
    let error = #expect(throws: ConfigurationError.self) {
      try configuration.settings(ofFeed: Self.url, inRegions: ["b", "a"])
    }
    #expect(error?.place == place)
    #expect(error?.cause.contains("\(Self.url) is in both") == true)
  }

  @Test(
    arguments: [
      ([], "https://b.example/", Retention(count: 9), "[retention]"),
      (["c"], "https://b.example/", Retention(count: 9), "[retention]"),
      (["a"], "https://b.example/", Retention(age: 60), "region a"),
      (["b", "a"], "https://b.example/", Retention(age: 90, count: 3), "regions a, b"),
      (["b", "a", "c"], "https://b.example/", Retention(age: 90, count: 9), "regions a, b, [retention]"),
      (["a", "b"], url, Retention(count: 1), "[[feed]]"),
    ] as [([String], WebAddress, Retention, String)])
  func `a feed uses its own retention, or the longest of its regions`(
    names: [String], url: WebAddress, retention: Retention, source: String
  ) throws {
    var configuration = Self.configuration(
      own: FeedSettings(retention: Retention(count: 1)),
      [
        "a": FeedSettings(retention: Retention(age: 60)),
        "b": FeedSettings(retention: Retention(age: 90, count: 3)), "c": FeedSettings(),
      ])
    configuration.retention = Retention(count: 9)
    let found = try #require(configuration.retention(ofFeed: url, inRegions: names))
    #expect(found.retention == retention && found.source == source)
    #expect(Configuration().retention(ofFeed: url, inRegions: names) == nil)
  }

  @Test func `a table matches its feed without the stored password`() throws {
    let configuration = try Configuration(toml: "[[feed]]\nurl = \"https://u@a.example/\"\ninterval = \"1h\"")
    #expect(try configuration.settings(ofFeed: "https://u:pw@a.example/", inRegions: []).interval == 3600)
    #expect(try configuration.settings(ofFeed: "https://u@b.example/", inRegions: []).interval == nil)
  }

  @Test func `a region without a retention keeps all articles if there is no general retention`() {
    var configuration = Configuration()
    configuration.regions = ["a": FeedSettings(retention: Retention(age: 60))]
    #expect(configuration.retention(ofFeed: Self.url, inRegions: ["a"])?.source == "region a")
    #expect(configuration.retention(ofFeed: Self.url, inRegions: ["a", "b"]) == nil)
  }
}
