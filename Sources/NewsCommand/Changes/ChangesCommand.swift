import ArgumentParser
import Foundation
import ManagedContext
import NewsConfiguration
import NewsModel
import TextOutput

/// `newsimport changes [--since TOKEN] [--consumer NAME]`
struct ChangesCommand: MainCommand {
  static let configuration = CommandConfiguration(
    commandName: "changes",
    abstract: "Print what has changed since a token.",
    discussion: """
      Prints each new, changed, deleted and archived article, in the order of the commits of all processes. Each event has a \
      token; --since a token prints what came after it. Tokens stay valid over restarts, and in a backup of the store.
      Without --json, the token of the last event is printed on standard error.
      A consumer is a reader whose position is kept in the store. Only --ack moves it, so that nothing is lost if the reader is \
      killed: it reads the same events again.
      Examples:
        newsimport changes --since 0 --json
        newsimport changes --since now --follow --marks
        newsimport changes --consumer index --json --limit 1000 > events.jsonl
        newsimport changes --consumer index --ack 4711.3-9f3ac2d1
      Exit status: 65 if the token is from another store, or its transaction is no longer kept; 66 if the store is removed or \
      replaced while --follow waits.
      """)

  @OptionGroup var storeOptions: StoreOptions
  @Option(
    help: ArgumentHelp(
      """
      Print the events after this token; 0 is the beginning of what the store keeps (the default), now prints only what comes \
      with --follow, and otherwise the newest token.
      """, valueName: "token"))
  var since: String?
  @Option(
    help: ArgumentHelp(
      """
      Continue at the position of this consumer. A new consumer begins at --since, as does one whose position is no longer valid; for \
      others, --since has no effect.
      """, valueName: "name"))
  var consumer: String?
  @Option(
    help: ArgumentHelp(
      "Move the consumer after the event with this token, and print nothing.", valueName: "token"))
  var ack: String?
  @Option(help: "Print at most this number of events.") var limit: Int?
  @Flag(help: "Also print the marks that were set and removed: read, unread, star and unstar.")
  var marks = false
  @Flag(help: "Then print events as soon as any process saves them, until Ctrl-C.") var follow = false
  @Flag(help: "With --json: print all fields of new articles, as list --json --full does.") var full = false
  @Flag(
    help: """
      One JSON object per line: token, change, date, author, id, guid, feed; of a new article the fields of newsimport list \
      --json, of a changed one kind, changed, old and new.
      """)
  var json = false
  @Flag(help: "List the consumers.") var list = false
  @Flag(help: "Remove the consumer.") var forget = false

  static let needsThreads = true

  func validate() throws {
    let prints = since != nil || limit != nil || marks || follow || full
    if list, prints || consumer != nil || ack != nil || forget {
      throw ValidationError("--list is given alone, or with --json.")
    }
    if ack != nil || forget {
      guard consumer != nil else { throw ValidationError("--ack and --forget need --consumer.") }
      if prints || (ack != nil && forget) {
        throw ValidationError("--ack and --forget print nothing; give them with --consumer alone.")
      }
    }
    if let limit, limit < 1 { throw ValidationError("--limit is a number from 1.") }
    if full && !json { throw ValidationError("--full needs --json.") }
    if let consumer, !forget, !consumer.utf8.elementsEqual(withEscapes(consumer).utf8) {
      throw ValidationError("the name of a consumer cannot have control characters.")
    }
    if consumer?.isEmpty == true { throw ValidationError("--consumer has no name.") }
    if let consumer, !forget, consumer.utf8.count > Self.longestName {
      throw ValidationError("the name of a consumer has at most \(Self.longestName) bytes.")
    }
    if consumer.flatMap(Hook.name(ofConsumer:)) != nil {
      throw ValidationError("the position of a hook is moved with newsimport hooks.")
    }
  }

  /// The longest name for a consumer, in UTF-8 bytes.
  private static let longestName = 200

  func perform() async throws {
    let consumers = ChangeConsumers(storeOptions)
    if list { return try consumers.list(json: json) }
    if let consumer, forget { return try consumers.forget(consumer) }
    if let consumer, let ack { return try consumers.acknowledge(ack, by: consumer) }
    let stream = try ChangeStream(self)
    if since == "now", consumer == nil, !follow { return try stream.printNewestToken() }
    try await stream.run()
  }
}
