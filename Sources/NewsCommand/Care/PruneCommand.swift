import ArgumentParser
import FeedImport
import Foundation
import TextOutput

/// `newsimport prune`
struct PruneCommand: AsyncParsableCommand, SavingCommand {
  static let configuration = CommandConfiguration(
    commandName: "prune",
    abstract: "Delete articles that are no longer to be kept.",
    discussion: """
      Examples:
        newsimport prune --keep 90d --dry-run
        newsimport prune --keep-last 500 --region world
        newsimport prune --yes
      Without --keep and --keep-last the configuration says how long articles are kept, for each feed: newsimport.toml(5).
      Starred articles always stay. What was deleted does not come back while its feed lists it. The newest are told by \
      the date of publication, else that of the import, as in newsimport list.
      Without --yes it asks; where nobody can be asked it tells what it would delete, deletes nothing and ends with 64.
      """)

  @OptionGroup var storeOptions: StoreOptions
  @OptionGroup var configurationOptions: ConfigurationOptions
  @Option(
    help: "Delete what is older: 36h, 90d, 26w.", transform: { try KeptSpan(argument: $0) })
  var keep: KeptSpan?
  @Option(help: "Delete what is not among the newest so many of its feed.") var keepLast: Int?
  @Option(help: "Only the feeds of this region.", completion: .regions) var region: String?
  @Flag(help: "Tell what would be deleted, and delete nothing.") var dryRun = false
  @Flag(help: "Delete without asking.") var yes = false
  @Flag(help: "One JSON object for each feed with something to delete; asks nothing.") var json = false

  func validate() throws {
    guard keep == nil || keepLast == nil else {
      throw ValidationError("Give --keep or --keep-last, not both; the configuration may have both.")
    }
    guard !dryRun || !yes else { throw ValidationError("Give --dry-run or --yes, not both.") }
    guard keepLast.map(Retention.counts.contains) ?? true else {
      throw ValidationError("--keep-last is a number from 1 to \(grouped(Retention.counts.upperBound)).")
    }
  }

  func run() async throws {
    try await PruneRun(self).run()
  }
}

/// The time for which articles are kept.
struct KeptSpan: Equatable {
  /// The time in seconds.
  let length: TimeInterval
  /// The argument as written.
  let text: String

  /// Reads an argument.
  ///
  /// - Throws: `ValidationError` if the argument is not such a time.
  init(argument: String) throws {
    guard let length = seconds(ofDuration: argument) else {
      throw ValidationError("'\(argument)' is no time; write it like 36h, 90d or 26w.")
    }
    guard !isOfMinutesOrMonths(argument) else {
      throw ValidationError("'\(argument)': minutes or months? Write months as weeks: 13w.")
    }
    guard Retention.ages.contains(length) else {
      let (least, most) = (durationText(Retention.ages.lowerBound), durationText(Retention.ages.upperBound))
      throw ValidationError("--keep is a time from \(least) to \(most).")
    }
    (self.length, text) = (length, argument)
  }
}
