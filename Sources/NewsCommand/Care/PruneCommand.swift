import ArgumentParser
import FeedImport
import Foundation
import NewsConfiguration
import TextOutput

/// `newsimport prune`
struct PruneCommand: SavingCommand {
  static let configuration = CommandConfiguration(
    commandName: "prune",
    abstract: "Delete old articles.",
    discussion: """
      Examples:
        newsimport prune --keep 90d --dry-run
        newsimport prune --keep-last 500 --region world
        newsimport prune --yes
      Without --keep and --keep-last, the configuration states for each feed how long articles are kept: newsimport.toml(5).
      Starred articles are never deleted, and those that wait for a hook stay until newsimport hooks run or skip. A deleted article is not imported again, even if its feed still lists it. Articles count by \
      their date of publication, or else of their import, as in newsimport list.
      Without --yes it asks first. Without a terminal it prints what it would delete, deletes nothing, and exits with 64.
      """)

  @OptionGroup var storeOptions: StoreOptions
  @OptionGroup var configurationOptions: ConfigurationOptions
  @Option(
    help: "Delete articles older than this: 36h, 90d, 1y.", transform: { try KeptSpan(argument: $0) })
  var keep: KeptSpan?
  @Option(help: "Keep this number of the newest articles of each feed, and delete the others.") var keepLast:
    Int?
  @Option(help: "Only the feeds of this region.", completion: .regions) var region: String?
  @Flag(help: "Print what would be deleted, and delete nothing.") var dryRun = false
  @Flag(help: "Delete without asking.") var yes = false
  @Flag(help: "One JSON object for each feed with articles to delete; deletes only with --yes.")
  var json = false

  func validate() throws {
    guard keep == nil || keepLast == nil else {
      throw ValidationError("Give --keep or --keep-last, not both; the configuration may have both.")
    }
    guard !dryRun || !yes else { throw ValidationError("Give --dry-run or --yes, not both.") }
    guard keepLast.map(Retention.counts.contains) ?? true else {
      throw ValidationError("--keep-last is a number from 1 to \(grouped(Retention.counts.upperBound)).")
    }
  }

  func perform() async throws {
    try await PruneRun(self).run()
  }
}

/// The argument for `--keep`: articles younger than this are kept.
struct KeptSpan: Equatable {
  /// The time in seconds.
  let length: TimeInterval
  /// The argument as written.
  let text: String

  /// - Throws: `ValidationError` if the argument is not such a time.
  init(argument: String) throws {
    guard let length = seconds(ofDuration: argument) else {
      throw ValidationError("'\(argument)' is not a duration; write it like 36h, 90d or 1y.")
    }
    guard !isOfMinutesOrMonths(argument) else {
      throw ValidationError("'\(argument)': minutes or months? Write months as weeks: 13w.")
    }
    guard Retention.ages.contains(length) else {
      let (least, most) = (durationText(Retention.ages.lowerBound), durationText(Retention.ages.upperBound))
      throw ValidationError("--keep is a duration from \(least) to \(most).")
    }
    (self.length, text) = (length, argument)
  }
}
