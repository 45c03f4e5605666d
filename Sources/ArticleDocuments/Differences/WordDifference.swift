/// The difference between two texts by words.
package struct WordDifference {
  package let old: WordText
  package let new: WordText
  let changes: [SequenceDifference.Change]

  init(from old: String, to new: String, in parts: WordText.Parts) {
    (self.old, self.new) = (WordText(old, in: parts), WordText(new, in: parts))
    changes = SequenceDifference.changes(from: self.old.numbers, to: self.new.numbers)
  }

  /// Changed words, with unchanged ones around and between them.
  package struct Passage: Equatable {
    package var old: Range<Int>
    package var new: Range<Int>
  }

  /// The changed passages, in order. Changes with few words between them are in one passage.
  ///
  /// - Parameter context: The most unchanged words before and after a change.
  package func passages(context: Int) -> [Passage] {
    var passages: [Passage] = []
    for change in changes {
      let before = min(context, change.old.lowerBound)
      let after = min(context, old.numbers.count - change.old.upperBound)
      let end = (old: change.old.upperBound + after, new: change.new.upperBound + after)
      // An omission takes one word itself.
      if let last = passages.last, change.old.lowerBound - before <= last.old.upperBound + 1 {
        passages[passages.count - 1] = Passage(
          old: last.old.lowerBound..<end.old, new: last.new.lowerBound..<end.new)
      } else {
        passages.append(
          Passage(
            old: (change.old.lowerBound - before)..<end.old, new: (change.new.lowerBound - before)..<end.new))
      }
    }
    return passages
  }

  /// Returns a passage's old and new text, with an ellipsis for omitted words. A side without words is nil.
  package func texts(of passage: Passage) -> (old: String?, new: String?) {
    func text(_ text: WordText, _ range: Range<Int>) -> String? {
      guard !range.isEmpty else { return nil }
      return (range.lowerBound > 0 ? "… " : "") + text.text(range)
        + (range.upperBound < text.numbers.count ? " …" : "")
    }
    return (text(old, passage.old), text(new, passage.new))
  }
}
