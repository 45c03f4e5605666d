internal import TextSearch

/// A search expression as a `tsquery` (postgresql.org/docs/15/datatype-textsearch.html#DATATYPE-TSQUERY).
struct SearchQuery {
  /// The query; nil if nothing can match.
  let exact: String?
  /// A query that all matching rows meet, also rows with incomplete word places (``SearchVector/isPartial``).
  let relaxed: String
  /// True if a row with incomplete word places has to be examined.
  let needsPlaces: Bool

  /// - Parameters:
  ///   - columns: The names of the index columns.
  init(_ expression: SearchExpression, columns: [String]) {
    let reader = Reader(columns: columns)
    let tree = reader.tree(expression.condition, Set(columns.indices))
    exact = tree.map { $0.text(isRelaxed: false) }
    relaxed = tree.map { $0.text(isRelaxed: true) } ?? ""
    needsPlaces = tree.map { !$0.isExact } ?? false
  }

  /// A word in a phrase.
  private struct Word {
    let text: String
    /// The column marks, and a star for word prefixes.
    let ending: String
    let isCut: Bool

    /// The word in quotation marks, with the letters of the server's syntax doubled.
    var query: String {
      text.replacing("\\", with: "\\\\").replacing("'", with: "''").enclosed + ending
    }
  }

  /// The parts of an expression that can match.
  private indirect enum Tree {
    case phrase([Word])
    case all([Tree])
    case any([Tree])
    case excluding(Tree, [Tree])

    /// True if the words alone decide, without their places.
    var isExact: Bool {
      switch self {
      case .phrase(let words): words.count == 1 && !words.contains(where: \.isCut)
      case .all(let parts), .any(let parts): parts.allSatisfy(\.isExact)
      case .excluding(let wanted, let unwanted): wanted.isExact && unwanted.allSatisfy(\.isExact)
      }
    }

    func text(isRelaxed: Bool) -> String {
      switch self {
      case .phrase(let words):
        isRelaxed
          ? balanced(words.map(\.query)[...], "&") : "(" + words.map(\.query).joined(separator: " <-> ") + ")"
      case .all(let parts): balanced(parts.map { $0.text(isRelaxed: isRelaxed) }[...], "&")
      case .any(let parts): balanced(parts.map { $0.text(isRelaxed: isRelaxed) }[...], "|")
      case .excluding(let wanted, let unwanted):
        // An exclusion must not cover more than its exact matches.
        balanced(
          ([wanted.text(isRelaxed: isRelaxed)]
            + unwanted.filter { !isRelaxed || $0.isExact }.map { "!" + $0.text(isRelaxed: false) })[...], "&")
      }
    }

    /// Joins parts in a flat tree, because the server recurses along it on its stack.
    private func balanced(_ parts: ArraySlice<String>, _ sign: String) -> String {
      guard parts.count > 1 else { return "(\(parts.first ?? ""))" }
      let middle = parts.startIndex + parts.count / 2
      return "(\(balanced(parts[..<middle], sign)) \(sign) \(balanced(parts[middle...], sign)))"
    }
  }

  private struct Reader {
    let columns: [String]

    /// - Returns: Nil if nothing can match.
    func tree(_ condition: SearchExpression.Condition, _ allowed: Set<Int>) -> Tree? {
      switch condition {
      case .phrase(let text, let isBeginning):
        let words = words(text, allowed, isBeginning: isBeginning)
        return words.isEmpty || allowed.isEmpty ? nil : .phrase(words)
      // It was replaced by words from the index.
      case .part: return nil
      case .column(let name, let condition):
        return tree(condition, allowed.filter { columns[$0] == name })
      case .all(let parts):
        let trees = trees(parts, allowed)
        return trees.count < parts.count ? nil : .all(trees)
      case .any(let parts):
        let trees = trees(parts, allowed)
        return trees.isEmpty ? nil : .any(trees)
      case .excluding(let wanted, let unwanted):
        guard let tree = tree(wanted, allowed) else { return nil }
        let excluded = trees(unwanted, allowed)
        return excluded.isEmpty ? tree : .excluding(tree, excluded)
      }
    }

    private func trees(_ conditions: [SearchExpression.Condition], _ allowed: Set<Int>) -> [Tree] {
      conditions.compactMap { tree($0, allowed) }
    }

    private func words(_ text: String, _ allowed: Set<Int>, isBeginning: Bool) -> [Word] {
      var list = WordList()
      list.append(wordsOf: Array(text.utf8).span)
      let letters =
        allowed.count == columns.count ? "" : allowed.sorted().map { ["A", "B", "C", "D"][$0] }.joined()
      return (0..<list.count).map { place in
        let range = list.range(of: place)
        let ending = letters + (isBeginning && place == list.count - 1 ? "*" : "")
        return Word(
          text: String(decoding: list.bytes[SearchWord.cut(list.bytes, range)], as: UTF8.self),
          ending: ending.isEmpty ? "" : ":" + ending, isCut: range.count >= SearchWord.longest)
      }
    }
  }
}

extension String {
  fileprivate var enclosed: String { "'\(self)'" }
}
