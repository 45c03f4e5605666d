import ArgumentParser
import ArticleDocuments
import Foundation
import ManagedContext
import NewsModel
import TextOutput
import WebAddress

/// `newsimport store …`
struct StoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store", abstract: "Maintain the store, and attach other stores for reading.",
    subcommands: [
      Info.self, Check.self, Backup.self, Copy.self, Vacuum.self, Index.self, Attach.self, Detach.self,
      List.self,
    ])

  /// `newsimport store attach FILE`
  struct Attach: SavingCommand {
    static let configuration = CommandConfiguration(
      commandName: "attach",
      abstract: "Read another news store together with this one; the other store is never changed.",
      discussion: """
        The file is verified, and stays where it is.
        Example: newsimport store attach ~/archive/news-2024.sqlite --name 2024
        """)

    @OptionGroup var storeOptions: StoreOptions
    @Argument(help: "The other store.", completion: .file()) var file: String
    @Option(help: "The name of the attached store (default: the file's name without its extension).")
    var name: String?

    func validate() throws {
      guard !InputFile.isAddress(file) else {
        throw ArgumentParser.ValidationError("Only a file can be attached; download the store first.")
      }
    }

    func perform() async throws {
      let name = self.name ?? AttachedFile.defaultName(for: file)
      try AttachedFile.check(name: name)
      let store = try NewsStack.location(storeOptions).needsFile(for: "store attach")
      let stack = try NewsStack(storeOptions)
      let attached = try stack.reading { try stack.source.attachedStores() }
      let path = try AttachedFile.verify(file, notStore: store)
      if let same = attached.first(where: { $0.path.utf8.elementsEqual(path.utf8) }) {
        throw CommandFailure(.usage, "\(printable(path)): already attached as \(printable(same.name))")
      }
      if attached.contains(where: { $0.name.utf8.elementsEqual(name.utf8) }) {
        throw CommandFailure(
          .usage, "\(printable(name)): a store of this name is attached; name this one with --name")
      }
      AttachedFile.removeIndex(ofStoreNamed: name, besideStore: store)
      let attachment = stack.main.context.insert(AttachedStore.self)
      (attachment.name, attachment.path, attachment.attached) = (name, path, Date())
      try await stack.save()
      let contents = try AttachedFile.contents(of: path)
      Output.standard.print(
        "attached  \(printable(name)): \(counted(contents.articles, "article")) of "
          + "\(counted(contents.feeds, "feed"))\n")
    }
  }

  /// `newsimport store detach NAME`
  struct Detach: SavingCommand {
    static let configuration = CommandConfiguration(
      commandName: "detach",
      abstract: "Stop reading an attached store; its file stays as it is.")

    @OptionGroup var storeOptions: StoreOptions
    @Argument(help: "The attached store.") var name: String

    func perform() async throws {
      let stack = try NewsStack.existing(storeOptions)
      guard let stack, let attachment = try stack.reading({ try stack.source.attachedStore(named: name) })
      else {
        throw CommandFailure(
          .noInput, "\(printable(name)): no such attached store; newsimport store list shows them")
      }
      let store = try stack.location.needsFile(for: "store detach")
      let path = attachment.path
      stack.main.context.delete(attachment)
      try await stack.save()
      AttachedFile.removeIndex(ofStoreNamed: name, besideStore: store)
      Output.standard.print("detached  \(printable(name)); \(printable(path)) stays as it is\n")
    }
  }

  /// `newsimport store list`
  struct List: MainCommand {
    static let configuration = CommandConfiguration(
      commandName: "list",
      abstract: "List the attached stores.")

    @OptionGroup var storeOptions: StoreOptions
    @Flag(help: "One JSON object per line.") var json = false

    func perform() async throws {
      let stack = try NewsStack.existing(storeOptions, for: .reading)
      let attachments = try stack?.reading { try stack?.source.attachedStores() } ?? []
      var rows: [[String]] = []
      for attachment in attachments {
        let contents = try? AttachedFile.contents(of: attachment.path)
        if json {
          writeJSON([
            "name": attachment.name, "path": attachment.path,
            "source": attachment.source.map(WebAddress.withoutPassword), "attached": attachment.attached,
            "articles": contents?.articles, "feeds": contents?.feeds,
          ])
        } else {
          let count = contents.map { counted($0.articles, "article") } ?? "cannot be read"
          rows.append([printable(attachment.name), count, printable(attachment.path)])
        }
      }
      Output.standard.print(aligned: rows)
      if attachments.isEmpty && !json {
        Output.error.print("no attached stores.   Next: newsimport store attach FILE\n")
      }
    }
  }
}
