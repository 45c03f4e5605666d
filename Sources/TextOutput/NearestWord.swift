/// Returns the closest known word within an edit distance of a third of its length; nil without one.
///
/// The edits are wrong, missing, added and swapped letters. At least one letter must remain unchanged.
public func nearestWord(to word: String, among known: [String]) -> String? {
  let near = known.map { (word: $0, distance: editDistance(word.lowercased(), $0)) }
    .min { $0.distance < $1.distance }
  guard let near, near.distance <= max(1, (near.word.count + 1) / 3), near.distance < near.word.count else {
    return nil
  }
  return near.word
}

/// Returns "did you mean WORD?" with the closest known word; nil if none is close.
public func suggestion(for word: String, among known: [String]) -> String? {
  nearestWord(to: word, among: known).map { "did you mean \($0)?" }
}

/// Counts the letters to change, add, remove or swap with their neighbours (optimal string alignment).
private func editDistance(_ first: String, _ second: String) -> Int {
  // Keys are short; a longer text is not a mistyped key.
  guard first.utf8.count <= 64 else { return .max }
  let (first, second) = (Array(first), Array(second))
  var beforeLast: [Int] = []
  var last = Array(0...second.count)
  for row in first.indices {
    var current = [row + 1]
    for column in second.indices {
      let isSame = first[row] == second[column]
      var best = min(last[column] + (isSame ? 0 : 1), last[column + 1] + 1, current[column] + 1)
      if row > 0, column > 0, first[row] == second[column - 1], first[row - 1] == second[column] {
        best = min(best, beforeLast[column - 1] + 1)
      }
      current.append(best)
    }
    (beforeLast, last) = (last, current)
  }
  return last[second.count]
}
