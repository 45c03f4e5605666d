import NewsModel
import Testing

/// The number that the store has of the last change of an article.
@Suite struct StoredChangeTests {
  @Test func `a change is read as it was stored`() {
    for change in [
      StoredChange([]), StoredChange([.words, .volatile]),
      StoredChange(.dates, followsDirectly: true, answer: 7),
      StoredChange(.markup, answer: Int(Int32.max)),
    ] {
      #expect(StoredChange(number: change.number) == change)
      #expect(ChangeKinds(rawValue: change.number) == change.kinds)
    }
    #expect(StoredChange(number: -1).answer == 0)
    #expect(StoredChange([], answer: .max).number > 0)
  }

  @Test func `an answer follows the change of the one before it, also after failures`() {
    let change = StoredChange(.words, answer: 5)
    #expect(AnswerNumber(fetches: 5, failures: 0).follows(change))
    #expect(!AnswerNumber(fetches: 6, failures: 0).follows(change))
    #expect(AnswerNumber(fetches: 7, failures: 2).follows(change))
    #expect(!AnswerNumber(fetches: 7, failures: 1).follows(change))
    // A store that was restored may have a later number.
    #expect(!AnswerNumber(fetches: 3, failures: 0).follows(change))
  }

  @Test func `a file follows nothing, and nothing follows a file`() {
    #expect(!AnswerNumber.ofFile.follows(StoredChange(.words, answer: 5)))
    #expect(AnswerNumber.ofFile.number == 0)
    #expect(!AnswerNumber(fetches: 0, failures: 0).follows(StoredChange(.words)))
  }
}
