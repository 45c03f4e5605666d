/// The last change of an article by an import, as one number in the store: its kinds, and the answer of the feed that had it.
///
/// With the number of the answer, the next change knows whether the answer directly before it changed the article, too. So a field
/// that a server changes with each fetch is distinguished from one that is edited several times, with answers in between that
/// changed nothing.
package struct StoredChange: Sendable, Equatable {
  package var kinds: ChangeKinds
  /// True if the feed's answer directly before changed the article, too.
  package var followsDirectly: Bool
  /// The number of the feed's answer, from 1; 0 for a change by a file, and in stores of version 10 and before.
  package var answer: Int

  /// Creates a value.
  package init(_ kinds: ChangeKinds, followsDirectly: Bool = false, answer: Int = 0) {
    (self.kinds, self.followsDirectly, self.answer) = (kinds, followsDirectly, answer)
  }

  /// Reads a number of the store.
  package init(number: Int) {
    kinds = ChangeKinds(rawValue: number)
    followsDirectly = number & Self.direct != 0
    answer = max(0, number >> Self.answerShift)
  }

  /// The number in the store.
  package var number: Int {
    kinds.rawValue | (followsDirectly ? Self.direct : 0) | min(max(0, answer), Int(Int32.max))
      << Self.answerShift
  }

  /// The bit of ``followsDirectly``, as in the column `note` of versions.
  static let direct = 128
  private static let answerShift = 8
}

/// The place of an answer among those of its feed.
package struct AnswerNumber: Sendable, Equatable {
  /// The number of the answer, from 1; 0 for a file, which is no answer.
  package let number: Int
  /// The number of the last answer before it that was no failure.
  private let previous: Int

  /// A file.
  package static let ofFile = AnswerNumber(fetches: -1, failures: 0)

  /// - Parameters:
  ///   - fetches: The number of the feed's answers before, with failures.
  ///   - failures: The number of failures directly before this answer.
  package init(fetches: Int, failures: Int) {
    (number, previous) = (fetches + 1, fetches - failures)
  }

  /// Returns whether a change belongs to the answer before this one.
  package func follows(_ change: StoredChange) -> Bool {
    change.answer > 0 && change.answer < number && change.answer >= previous
  }
}
