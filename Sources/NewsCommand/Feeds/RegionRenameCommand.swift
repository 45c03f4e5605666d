import ArgumentParser
import ManagedContext
import NewsConfiguration
import NewsModel
import TextOutput

extension RegionCommand {
  /// `newsimport region rename OLD NEW`
  struct Rename: SavingCommand {
    static let configuration = CommandConfiguration(
      commandName: "rename",
      abstract: "Rename a region.",
      discussion: """
        Change the name in the configuration, too: a message says if a table, a hook or a query names the region. Its hooks then \
        continue under the new name. So do lists that opml sync --region brings to it.
        """)

    @OptionGroup var storeOptions: StoreOptions
    @OptionGroup var configurationOptions: ConfigurationOptions
    @Argument(help: ArgumentHelp("The region.", valueName: "old"), completion: .regions) var name: String
    @Argument(help: ArgumentHelp("Its new name.", valueName: "new")) var newName: String

    func perform() async throws {
      try checkRegionName(newName)
      let stack = try NewsStack.needed(storeOptions, region: name)
      let region = try stack.region(named: name)
      if name != newName, try stack.reading({ try stack.source.region(named: newName) }) != nil {
        throw CommandFailure(
          .usage,
          "\(printable(newName)): a region of this name exists; choose another, or remove it first: "
            + "newsimport region remove \(shellWord(newName))")
      }
      guard !region.name.utf8.elementsEqual(Region.normalized(newName).utf8) else {
        Output.error.print("\(printable(newName)): this is already its name\n")
        return
      }
      let oldName = region.name
      region.name = Region.normalized(newName)
      try stack.reading { try stack.source.moveFollowedLists(ofRegion: oldName, to: region.name) }
      try await stack.save()
      Output.standard.print("renamed  \(printable(name)) -> \(printable(newName))\n")
      try await HookNames.rename(from: oldName, to: region.name, in: stack)
      // The region was renamed, even if the configuration cannot be read.
      guard let loaded = try? configurationOptions.load(),
        let places = loaded.configuration.text(ofPlacesNaming: oldName)
      else { return }
      Output.error.warn(
        "the configuration still names \(printable(oldName)): \(printable(places)); change the name in \(printable(loaded.path)), too"
      )
    }
  }
}
