import ArgumentParser
import ArticleDocuments
import Foundation
import ManagedContext
import NewsModel
import TextOutput

extension StoreCommand {
  /// `newsimport store info`
  struct Info: MainCommand {
    static let configuration = CommandConfiguration(
      commandName: "info",
      abstract: "Print the contents of the store, and its size.")

    @OptionGroup var storeOptions: StoreOptions
    @Flag(help: "One JSON object.") var json = false

    func perform() async throws {
      let stack = try NewsStack.needed(storeOptions, for: .reading)
      let path = stack.location.name
      let (info, counts) = try stack.reading { (try stack.store.size(), try stack.source.counts()) }
      if json {
        writeJSON([
          "path": path, "version": info.version, "bytes": info.bytes, "log_bytes": info.logBytes,
          "free_bytes": info.freeBytes, "regions": counts.regions, "feeds": counts.feeds,
          "articles": counts.articles,
        ])
        return
      }
      let free = info.freeBytes.map { $0 > 0 ? ", \(byteText($0)) of it unused" : "" } ?? ""
      let log = info.othersLogBytes > 0 ? ", and a log of \(byteText(info.othersLogBytes))" : ""
      let contents = [
        counted(counts.regions, "region"), counted(counts.feeds, "feed"), counted(counts.articles, "article"),
      ]
      Output.standard.print(
        aligned: [
          ["store", printable(path)], ["version", "\(info.version)"],
          ["size", byteText(info.bytes) + free + log], ["contents", contents.joined(separator: ", ")],
        ])
    }
  }

  /// `newsimport store vacuum`
  struct Vacuum: SavingCommand {
    static let configuration = CommandConfiguration(
      commandName: "vacuum",
      abstract: "Rewrite the store without unused space.",
      discussion: """
        Temporarily needs space for a second store, and blocks other writers. On a server, the space is made available for new \
        rows, and the statistics for the planner are renewed (VACUUM ANALYZE), while others go on.
        """)

    @OptionGroup var storeOptions: StoreOptions
    @Flag(help: "One JSON object: path, bytes_before, bytes.") var json = false

    func perform() async throws {
      let stack = try NewsStack.needed(storeOptions)
      let path = stack.location.name
      let before = try stack.reading { try stack.store.size() }
      try stack.reading { try stack.store.vacuum() }
      let after = try stack.reading { try stack.store.size() }
      if json {
        writeJSON([
          "path": path, "bytes_before": before.bytes + before.othersLogBytes,
          "bytes": after.bytes + after.othersLogBytes,
        ])
        return
      }
      Output.standard.print(
        "\(byteText(before.bytes + before.othersLogBytes)) -> \(byteText(after.bytes + after.othersLogBytes))\n"
      )
    }
  }

  /// `newsimport store backup FILE`
  struct Backup: MainCommand {
    static let configuration = CommandConfiguration(
      commandName: "backup",
      abstract: "Copy the store to a new file, even during an import.",
      discussion: "Example: newsimport store backup ~/backup/news-$(date +%F).sqlite")

    @OptionGroup var storeOptions: StoreOptions
    @Argument(help: "The new file; it must not exist yet.") var file: String
    @Flag(help: "One JSON object: path, bytes.") var json = false

    func perform() async throws {
      guard file != "-" else {
        throw CommandFailure(.usage, "a store cannot be copied to standard output; name a file")
      }
      let location = NewsStack.location(storeOptions)
      // Opening the store for writing ends the first-import mode, in which readers delay the writer.
      let stack = try NewsStack.needed(
        storeOptions, for: location.isWritable ? .writing : .reading)
      let store = stack.store
      let signals = SignalWatch { store.interrupt() }
      let end = await Task.detached {
        Result { () throws(StoreError) in try store.backup(to: file) }
      }.value
      do throws(StoreError) {
        try end.get()
      } catch .cannotOpen(let cause) {
        throw CommandFailure(
          .cannotCreate, "\(printable(cause)); name a file that does not exist yet, in a folder that exists")
      } catch {
        if let status = signals.status {
          throw CommandFailure(status, "\(printable(file)): the copy was stopped and removed")
        }
        throw CommandFailure(error, store: stack.location)
      }
      let size = (try? FileManager.default.attributesOfItem(atPath: file)[.size] as? NSNumber)?.intValue ?? 0
      if json {
        writeJSON(["path": file, "bytes": size])
        return
      }
      Output.standard.print("saved  \(printable(file))  \(byteText(size))\n")
    }
  }
}
