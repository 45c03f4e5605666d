import ArticleDocuments
import Foundation
import TextOutput

/// The difference between two article versions, as text and as JSON.
@MainActor
struct DifferencePage {
  private let history: ArticleHistory
  private let from: Int
  private let to: Int
  private let changes: [FieldChange]

  /// Unchanged words before and after a change.
  private static let context = 6
  /// The word count up to which a text is shown whole.
  private static let wholeText = 40

  init(_ history: ArticleHistory, from: Int, to: Int, _ changes: [FieldChange]) {
    (self.history, self.from, self.to, self.changes) = (history, from, to, changes)
  }

  // MARK: For people

  /// The message if no field differs.
  var noDifference: String {
    if history.former.isEmpty {
      let cause =
        history.edits > 0
        ? "its edits were made before versions were kept" : "it has not changed since its import"
      return "no difference: article \(history.article) has only one version, \(cause)\n"
    }
    return from == to
      ? "no difference: both are version \(from)\n"
      : "no difference between versions \(from) and \(to) of article \(history.article)\n"
  }

  /// Returns the page, with its last line feed.
  func text(on output: Output) -> String {
    let head = "\(described(from))  ->  \(described(to))\n"
    return changes.reduce(head) { page, change in
      page + Style.bold(change.name, on: output) + "\n" + body(of: change.difference, on: output)
    }
  }

  private func described(_ number: Int) -> String {
    let current = number == history.current ? " (current)" : ""
    return "version \(number)\(current), \(localMinute(history.seen(number)))"
  }

  private func body(of difference: FieldDifference, on output: Output) -> String {
    switch difference {
    case .words(let words, let hasOtherMarkup):
      let isShort = max(words.old.numbers.count, words.new.numbers.count) <= Self.wholeText
      let texts = words.passages(context: isShort ? Self.wholeText : Self.context).map { passage in
        let texts = words.texts(of: passage)
        return lines(
          removed: [texts.old].compactMap(\.self), added: [texts.new].compactMap(\.self), on: output)
      }
      let namesMarkup = hasOtherMarkup && output.isTerminal
      return texts.joined() + (namesMarkup ? "  the markup differs, too; --markup shows it\n" : "")
    case .lines(let removed, let added): return lines(removed: removed, added: added, on: output)
    case .sameWords: return "  the same words in other markup or white space; --markup shows it\n"
    }
  }

  private func lines(removed: [String], added: [String], on output: Output) -> String {
    let lines =
      removed.map { (sign: "- ", text: $0, change: Style.Change.removed) }
      + added.map { (sign: "+ ", text: $0, change: .added) }
    return lines.map { (sign, text, change) -> String in
      output.isTerminal
        ? Style.marked(wrapped("  " + sign + printable(text), to: output.columns), change, on: output) + "\n"
        : sign + printable(text) + "\n"
    }.joined()
  }

  // MARK: For machines

  /// The difference as a JSON object.
  var json: JSONLine {
    [
      "id": history.article, "from": from, "to": to, "from_seen": history.seen(from),
      "to_seen": history.seen(to), "current": history.current,
      "changes": changes.map { change -> JSONLine in
        [
          "field": change.name, "old": change.old, "new": change.new,
          "passages": change.difference.passages.map { passage -> JSONLine in
            ["old": passage.old, "new": passage.new]
          },
        ]
      },
    ]
  }
}
