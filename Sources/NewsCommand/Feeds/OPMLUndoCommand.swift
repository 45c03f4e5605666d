import ArgumentParser
import NewsModel
import TextOutput

extension OPMLCommand {
  /// `newsimport opml undo`
  struct Undo: SavingCommand {
    static let configuration = CommandConfiguration(
      commandName: "undo",
      abstract: "Take back the last newsimport opml import.",
      discussion: """
        Removes the feeds that the last import added from their regions, and the regions that it added if they have no other \
        feeds. A feed that it added to the store is deleted, unless it was added to another region since. What was in the store \
        before stays. Asks first if feeds to delete have articles.
        Examples:
          newsimport opml undo --dry-run
          newsimport opml undo --yes
        """)

    @OptionGroup var storeOptions: StoreOptions
    @OptionGroup var configurationOptions: ConfigurationOptions
    @Flag(help: "Print what would be removed, and remove nothing.") var dryRun = false
    @Flag(help: "Delete feeds that have articles without asking.") var yes = false
    @Flag(help: "One JSON object: file, imported, removed, regions, feeds, articles, kept, skipped.")
    var json = false

    func validate() throws {
      guard !dryRun || !yes else { throw ValidationError("Give --dry-run or --yes, not both.") }
    }

    func perform() async throws {
      let stack = try NewsStack.needed(storeOptions, for: dryRun ? .reading : .writing)
      guard let undo = try ListUndo(in: stack) else {
        throw CommandFailure(
          .noInput, "opml undo: nothing to take back: no import of a list has added feeds since the last undo"
        )
      }
      let lost = undo.withArticles
      if dryRun {
        if !json { Output.standard.print("\(undo.title)\n\(lost.list)") }
      } else if !lost.losses.isEmpty {
        if !yes { Output.error.print(lost.list) }
        guard try Question.isConfirmed("take back \(undo.title), and delete \(lost.text)", isGiven: yes)
        else {
          Output.error.print("nothing was removed\n")
          return
        }
      }
      if !dryRun {
        try await HookRunner.keepWaiting(in: stack) { try configurationOptions.load() }
        try await undo.run(in: stack) { try configurationOptions.load() }
      }
      if json {
        writeJSON(undo.json(isDone: !dryRun))
      } else {
        Output.standard.print(undo.text(isDone: !dryRun))
      }
    }
  }
}
