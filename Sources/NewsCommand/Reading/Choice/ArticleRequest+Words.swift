import NewsConfiguration
import NewsModel
import TextOutput

extension ArticleRequest {
  /// The options that state the conditions.
  var options: [String] {
    [
      ("--feed", !feeds.isEmpty), ("--since", choice.since != nil), ("--until", choice.until != nil),
      ("--imported-since", choice.importedSince != nil), ("--unread", choice.marks[.read] == false),
      ("--read", choice.marks[.read] == true), ("--starred", choice.marks[.starred] != nil),
      ("--edited", choice.isEdited), ("--with-attachment", choice.hasAttachment),
      ("--match", match != nil), ("--copies", choice.hasCopies), ("--limit", choice.limit != nil),
    ].filter(\.1).map(\.0)
  }

  /// The conditions in words, for a document's heading; without the feeds.
  var inWords: [String] {
    let dates = [("since", choice.since), ("before", choice.until), ("imported since", choice.importedSince)]
    return choice.states + (choice.hasCopies ? ["every copy"] : []) + (match.map { ["with \($0)"] } ?? [])
      + dates.compactMap { word, time in time.map { "\(word) \(localMinute($0)) \(localZone(at: $0))" } }
  }

  /// Advice if no article was found.
  var hint: String {
    let words = names.map(shellWord).joined(separator: " ")
    if choice.since != nil || choice.importedSince != nil {
      return "Try an earlier \(choice.since != nil ? "--since" : "--imported-since")"
    }
    let conditions = options.filter { !["--copies", "--limit"].contains($0) }
    if !conditions.isEmpty { return "Next: newsimport list \(words)".trimmedEnd }
    // A query's conditions are in the configuration.
    if names.contains(where: { $0.hasPrefix("@") }) { return "Next: newsimport list" }
    return "Next: newsimport fetch \(names.isEmpty ? "--all" : words)"
  }
}
