import ArgumentParser
import NewsModel

/// `newsimport doctor [REGION...] [--fix]`
struct DoctorCommand: SavingCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract:
      "Check feeds for problems; --fix repairs moved ones.",
    discussion: """
      Reports feeds that have moved, ended, failed or gone silent, that lack a secret or a region, that are duplicates, \
      whose articles change with each fetch, or of which articles may have been missed. A feed that has moved gets its new address automatically after three good fetches over two days; --fix changes it at \
      once. If another feed has that address, the two are merged; an article that both have is kept once. A \
      feed is failing after 5 failures in a row, and silent if it has had no article for 8 times its publishing interval and at least \
      a week. Two feeds are duplicates if their last documents are the same, or if their addresses differ only in http \
      and https, in www. or in a slash at the end. A feed is \
      volatile if \(Article.volatileAfter) answers in a row changed a field of an article. Articles of a feed may have been missed if an \
      answer of the last 30 days had only new articles. Without regions, a store of up to 1 GB is also checked for damage \
      (newsimport store check is more thorough), and machines that polled with different configurations in the last day are named.
      Examples:
        newsimport doctor tech
        newsimport doctor --fix
      """)

  @OptionGroup var storeOptions: StoreOptions
  @OptionGroup var configurationOptions: ConfigurationOptions
  @Argument(
    help: ArgumentHelp("The regions; all feeds by default.", valueName: "region"), completion: .regions)
  var regions: [String] = []
  @Flag(help: "Repair the feeds that have moved.") var fix = false
  @Flag(help: "One JSON object for each finding on standard output.") var json = false

  func perform() async throws {
    guard let stack = try NewsStack.existing(storeOptions, for: fix ? .writing : .reading) else {
      Output.error.print(
        "nothing to examine: no store exists yet.   Next: newsimport region add NAME URL\n")
      return
    }
    try await Doctor(command: self, stack: stack).run()
  }
}
