import ArgumentParser
import FeedImport
import Foundation
import ManagedContext
import NewsConfiguration
import NewsModel
import TextOutput

/// `newsimport fetch REGION... | --all | --due [REGION...] | --failed [REGION...]`
struct FetchCommand: SavingCommand {
  static let configuration = CommandConfiguration(
    commandName: "fetch",
    abstract: "Download the feeds of regions and save their articles.",
    discussion: """
      Polls the feeds now, with conditional requests: the server of an unchanged feed sends no document. With \
      --due, for cron, only feeds that are due are polled; newsimport explain shows when a feed is due and why. In a pipe, \
      only regions with new or edited articles are printed; -v prints every region and feed. With --failed, only feeds \
      whose last answer was a failure are polled, for example after a proxy or a password was corrected.
      With auto = true below [retention] in the configuration, the first fetch of a day also deletes old articles, as newsimport \
      prune does; -v prints how many.
      With --report-after, a feed is reported once after that many consecutive failures, and once more when it \
      works again. The exit status is then 0 unless this run reported a failure. A feed that its publisher ended (410) is \
      reported at once; if it is added again, its count starts again. A problem in the configuration, such as a missing \
      secret, is reported each time.
      Examples:
        newsimport fetch world tech
        newsimport fetch --due --quiet
        newsimport fetch --failed world
        */10 * * * *  newsimport fetch --due --quiet --report-after 3
      """)

  @OptionGroup var storeOptions: StoreOptions
  @OptionGroup var configurationOptions: ConfigurationOptions
  @Argument(help: ArgumentHelp("The regions.", valueName: "region"), completion: .regions) var regions:
    [String] = []
  @Flag(help: "All regions.") var all = false
  @Flag(help: "Only feeds that are due, in the named regions or in all.") var due = false
  @Flag(help: "Only feeds whose last answer was a failure, in the named regions or in all.") var failed =
    false
  @Option(help: "The number of concurrent transfers, 1 to 1024 (default: 64).") var jobs: Int?
  @Option(
    help:
      "The longest time of one transfer, in seconds or with a unit, such as 2min (default: 60, of which at most 20 without an answer).",
    transform: { text in
      guard let length = Double(text) ?? seconds(ofDuration: text) else {
        throw ValidationError("'\(text)' is not a duration; write it like 90 (seconds) or 2min.")
      }
      return length
    })
  var timeout: Double?
  @Option(
    help: "The largest body after decoding, in bytes (default: 32MiB).", transform: ByteCount.init(argument:))
  var maxBody: ByteCount?
  @Option(help: "The number of concurrent transfers to one host, 1 to 64 (default: 4).") var perHost: Int?
  @Flag(
    help:
      "Refuse addresses of private networks and of this machine, also after redirects. A proxy must have a public address; the proxy itself decides which addresses it reaches."
  ) var publicOnly = false
  @Option(
    help: ArgumentHelp(
      "Report a feed once after this number of consecutive failures.", valueName: "failures"))
  var reportAfter: Int?
  /// The name of ``reportAfter`` before version 1.
  @Option(help: .hidden) var mailAfter: Int?
  @Flag(help: "Run no hooks: the articles wait for newsimport hooks run.") var noHooks = false
  @Option(
    help: ArgumentHelp(
      "Write metrics of the run and the store to a file for Prometheus (OpenMetrics).", valueName: "file"),
    completion: .file())
  var metrics: String?
  @Flag(help: "One JSON object for each feed on standard output.") var json = false
  @Flag(name: .shortAndLong, help: "Print only failures, also with --json.") var quiet = false
  @Flag(name: .shortAndLong, help: "Print every region and every feed.") var verbose = false

  /// The settings that the options specify.
  var settings: FetchSettings {
    FetchSettings(
      jobs: jobs, perHost: perHost, timeout: timeout, maxBody: maxBody?.bytes,
      publicOnly: publicOnly ? true : nil)
  }

  /// The number of consecutive failures after which a feed or a hook is reported once; nil to report each failure.
  var failuresToReport: Int? { reportAfter ?? mailAfter }

  func validate() throws {
    guard !quiet || !verbose else { throw ValidationError("Give --quiet or --verbose, not both.") }
    guard !all || regions.isEmpty else { throw ValidationError("Name regions or give --all, not both.") }
    guard all || due || failed || !regions.isEmpty else {
      throw ValidationError("Name the regions to fetch, or give --all, --due or --failed.")
    }
    try check(jobs, FetchSettings.jobsRange, "--jobs is a number")
    guard metrics != "-" else {
      throw ValidationError("--metrics needs a file, because the file is replaced as a whole.")
    }
    try check(failuresToReport, FailureMail.numbers, "--report-after is a number of failures")
    if metrics?.isEmpty == true { throw ValidationError("--metrics names no file.") }
    try check(perHost, FetchSettings.perHostRange, "--per-host is a number")
    let longest = FetchSettings.longestTimeout
    if let timeout, !(timeout > 0 && timeout <= longest) {
      throw ValidationError("--timeout is a number of seconds above 0, and at most \(Int(longest)).")
    }
  }

  private func check(_ number: Int?, _ range: ClosedRange<Int>, _ rule: String) throws {
    guard let number, !range.contains(number) else { return }
    throw ValidationError("\(rule) from \(range.lowerBound) to \(range.upperBound).")
  }

  func perform() async throws {
    guard regions.isEmpty, !NewsStack.isThere(storeOptions) else {
      return try await beginning() { try FetchRun(self) }.run()
    }
    // Without a store no region exists, and fetch does not create a store.
    _ = try beginning() {
      if NewsStack.isNamed(storeOptions) { throw NewsStack.noStore(storeOptions) }
      return try configurationOptions.load()
    }
    if !quiet {
      let path = printable(NewsStack.location(storeOptions).name)
      Output.error.print(
        "nothing to fetch: no store exists at \(path) yet.   Next: newsimport region add NAME URL\n")
    }
    try writeMetrics(status: 0)
  }

  /// Runs the steps before a run. A failure is also reported in the metrics file.
  @MainActor
  private func beginning<Value>(_ body: () throws -> Value) throws -> Value {
    do {
      return try body()
    } catch let failure as CommandFailure {
      try FetchMetrics.end(failure, writing: writeMetrics)
    }
  }

  /// Writes the metrics for a run that polled no feed, if the user wants metrics.
  @MainActor
  private func writeMetrics(status: Int32) throws {
    guard let metrics else { return }
    let now = Date()
    try FetchMetrics(totals: .init(), bytes: 0, began: now, ended: now, status: status, regions: [])
      .write(to: metrics, sparing: NewsStack.location(storeOptions), configurationOptions)
  }
}
