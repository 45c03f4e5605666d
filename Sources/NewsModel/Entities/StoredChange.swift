/// An article's last change by an import, as one number in the store: its kinds, and the number of the answer
/// with it.
///
/// The answer's number shows at the next change whether the directly preceding answer also changed the
/// article. A field that a server changes with each fetch thus differs from a field that is edited several
/// times, with unchanged answers in between.
package struct StoredChange: Sendable, Equatable {
  package var kinds: ChangeKinds
  /// True if the feed's directly preceding answer also changed the article.
  package var followsDirectly: Bool
  /// The answer's number in its feed, from 1; 0 for a change by a file, and in stores up to version 10.
  package var answer: Int

  /// Creates a value.
  package init(_ kinds: ChangeKinds, followsDirectly: Bool = false, answer: Int = 0) {
    (self.kinds, self.followsDirectly, self.answer) = (kinds, followsDirectly, answer)
  }

  /// Reads a stored number.
  package init(number: Int) {
    kinds = ChangeKinds(rawValue: number)
    followsDirectly = number & Self.direct != 0
    answer = max(0, number >> Self.answerShift)
  }

  /// The number to store.
  package var number: Int {
    kinds.rawValue | (followsDirectly ? Self.direct : 0) | min(max(0, answer), Int(Int32.max))
      << Self.answerShift
  }

  /// The bit for ``followsDirectly``, as in the versions' column `note`.
  static let direct = 128
  private static let answerShift = 8
}

/// An answer's position among its feed's answers.
package struct AnswerNumber: Sendable, Equatable {
  /// The answer's number, from 1; 0 for a file.
  package let number: Int
  /// The number of the last successful answer before it.
  private let previous: Int

  /// A file.
  package static let ofFile = AnswerNumber(fetches: -1, failures: 0)

  /// - Parameters:
  ///   - fetches: The count of the feed's earlier answers, including failures.
  ///   - failures: The count of failures directly before this answer.
  package init(fetches: Int, failures: Int) {
    (number, previous) = (fetches + 1, fetches - failures)
  }

  /// Returns whether a change belongs to the answer before this one.
  package func follows(_ change: StoredChange) -> Bool {
    change.answer > 0 && change.answer < number && change.answer >= previous
  }
}
