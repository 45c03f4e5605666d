import ArticleDocuments
import Foundation
import ManagedContext
import NewsModel
import TextOutput
import WebAddress

/// An article's origin, versions, and place in lists, as text and as JSON.
@MainActor
struct ArticleExplanation {
  struct Copy {
    let article: ArticleNumber
    let feed: Feed
  }

  let article: StoredRow<Article>
  let history: ArticleHistory
  /// Nil if the feed no longer exists.
  let feed: Feed?
  let regions: [String]
  /// The feed's latest answers, newest first.
  let log: [FetchRecord]
  let copies: [Copy]
  let marks: Set<ArticleMark>
  /// The path of the attached store that has the article; nil for the main store.
  let storePath: String?
  let now: Date

  // MARK: Facts

  /// The fields that the server changes with each fetch.
  private var volatile: [String] { Article.volatileFields(in: history.former) }

  private var response: ImportingResponse {
    ImportingResponse(
      at: article.imported, isFromFiles: feed?.isFromFiles ?? false, isAttached: storePath != nil, log)
  }

  /// The time of the last response that is known to have had the article: its last change, or its first
  /// import. A change that was merged into the one before has only the time of its answer in the log.
  private var lastKnown: Date {
    let changed = history.seen(history.current)
    guard let answer = article.changingAnswer, let feed, answer <= feed.fetches,
      feed.fetches - answer < FetchRecord.kept,
      let record = log.first(where: { $0.slot == (answer - 1) % FetchRecord.kept })
    else { return changed }
    return max(changed, record.date)
  }

  /// The origin of the date that orders lists.
  private var dateSource: String {
    switch article.timelineDate {
    case article.published: "published"
    case article.modified: "modified"
    default: "imported"
    }
  }

  // MARK: For people

  /// The explanation, one line for each known fact.
  var text: String {
    var lines = [("article", "\(history.article)  \(article.listTitle)")]
    lines.append(("feed", feed?.url.withoutPassword ?? "it no longer exists"))
    lines.append(("regions", regions.isEmpty ? "none" : regions.joined(separator: ", ")))
    if let storePath { lines.append(("store", "\(history.article.store ?? ""), \(storePath)")) }
    lines.append(("imported", "\(localMinute(article.imported)), \(response.text)"))
    lines.append(("last seen", lastSeen))
    lines.append(("place", place))
    let names = [marks.contains(.read) ? "read" : nil, marks.contains(.starred) ? "starred" : nil]
    if !marks.isEmpty { lines.append(("marks", names.compactMap(\.self).joined(separator: ", "))) }
    for copy in copies { lines.append(("copy", "\(copy.article)  in \(copy.feed.url.withoutPassword)")) }
    if !volatile.isEmpty {
      let fields = volatile.joined(separator: ", ")
      lines.append(
        (
          "volatile",
          "\(fields): changed in each of \(Article.volatileAfter) answers in a row; at most one version a day is kept"
        ))
    }
    lines.append(("versions", versions))
    return FeedExplanation.text(of: lines) + table
  }

  private var lastSeen: String {
    let event = history.former.isEmpty ? "was imported" : "changed"
    return "\(localMinute(lastKnown)), when it \(event); unchanged articles are not noted"
  }

  private var place: String {
    let date = localMinute(article.timelineDate)
    let reason =
      switch dateSource {
      case "published": "the date of its publication"
      case "modified": "the date of its last change, because it has none of its publication"
      default: "the date of its import, because its feed states none"
      }
    let future =
      article.timelineDate > now
      ? "; that is in the future, so lists have it at \(localMinute(article.listDate(at: now))), the date of its import"
      : ""
    let sequence = article.sequence.map { "; among articles of one date, by its sequence \($0)" } ?? ""
    return "by \(date), \(reason)\(future)\(sequence)"
  }

  private var versions: String {
    guard !history.former.isEmpty else { return "1: no change is kept" }
    let merged = history.former.reduce(0) { $0 + $1.mergedChanges }
    let also = merged > 0 ? ", \(counted(merged, "more change")) merged" : ""
    return
      "\(grouped(history.former.count + 1))\(also); newsimport diff \(history.article) compares them"
  }

  /// The versions as table lines; empty without former versions.
  private var table: String {
    guard !history.former.isEmpty else { return "" }
    var rows = history.former.map { version in
      let kinds = ChangeKinds(of: version.change).names.joined(separator: ", ")
      let merged = version.mergedChanges > 0 ? ", \(grouped(version.mergedChanges)) merged" : ""
      return [
        "  \(version.number)",
        "\(localMinute(history.seen(version.number))) to \(localMinute(version.change.date))",
        "then \(kinds)\(merged)", version.change.attributes.names.joined(separator: ", "),
      ]
    }
    rows.append(["  \(history.current)", "\(localMinute(history.seen(history.current))) until now", "", ""])
    return aligned(rows)
  }

  // MARK: For machines

  /// The explanation as a JSON object.
  var json: JSONLine {
    var versions = history.former.map { version -> JSONLine in
      [
        "version": version.number, "seen": history.seen(version.number), "replaced": version.change.date,
        "kind": ChangeKinds(of: version.change).names, "changed": version.change.attributes.names,
        "merged": version.mergedChanges,
      ]
    }
    versions.append([
      "version": history.current, "seen": history.seen(history.current), "replaced": nil as Date?,
      "kind": [String](),
      "changed": [String](), "merged": 0,
    ])
    let copies = copies.map { copy -> JSONLine in
      ["id": copy.article, "feed": copy.feed.url.withoutPassword]
    }
    let order: JSONLine = [
      "by": dateSource, "date": article.timelineDate,
      "listed": article.listDate(at: now), "sequence": article.sequence,
    ]
    return [
      "id": history.article, "title": article.title, "feed": feed?.url.withoutPassword,
      "feed_title": feed?.shownTitle, "regions": regions, "store": storePath, "imported": article.imported,
      "response": response.json, "last_known": lastKnown, "edits": article.edits, "versions": versions,
      "volatile": volatile, "also_in": copies, "read": marks.contains(.read),
      "starred": marks.contains(.starred), "order": order,
    ]
  }
}

/// The response from which an article was first imported, as far as the fetch log has it.
@MainActor
enum ImportingResponse {
  case answer(FetchRecord)
  case file
  /// The log has only later answers.
  case gone
  /// The article is in an attached store, and the main store's log does not have its answer.
  case attached
  case unknown

  /// The longest time from a response's first article to its end, in seconds, if the log does not state it.
  private static let longestResponse: TimeInterval = 60

  /// Finds the answer that ended next after an import.
  ///
  /// - Parameters:
  ///   - isFromFiles: True if no answer can have the article.
  ///   - isAttached: True if the article is in an attached store.
  ///   - log: The feed's latest answers, newest first.
  init(at date: Date, isFromFiles: Bool, isAttached: Bool, _ log: [FetchRecord]) {
    let answer = log.last { $0.date >= date.addingTimeInterval(-1) && $0.inserted > 0 }
    if isFromFiles, !isAttached {
      self = .file
    } else if let answer, answer.date.timeIntervalSince(date) <= Self.longestResponse + answer.seconds {
      self = .answer(answer)
    } else if log.count >= FetchRecord.kept, let oldest = log.last, oldest.date > date {
      self = .gone
    } else if isAttached {
      self = .attached
    } else {
      self = .unknown
    }
  }

  var text: String {
    switch self {
    case .answer(let answer):
      let status = answer.status.map { "HTTP \($0)" } ?? "no status"
      return
        "from the answer that ended \(localMinute(answer.date)): \(status), \(counted(answer.inserted, "new article")), \(byteText(answer.bytes))"
    case .file: return "from a file (newsimport import)"
    case .gone: return "from an answer that the log no longer has: it keeps \(FetchRecord.kept) of each feed"
    case .attached: return "from an answer that the log of this store does not have"
    case .unknown: return "from a file or another feed: the log has no answer of that time"
    }
  }

  /// The answer as a JSON object; nil if it is not known.
  var json: JSONLine? {
    guard case .answer(let answer) = self else { return nil }
    return [
      "date": answer.date, "outcome": answer.outcome?.rawValue, "status": answer.status,
      "new": answer.inserted, "edited": answer.edited, "bytes": answer.bytes,
    ]
  }
}
