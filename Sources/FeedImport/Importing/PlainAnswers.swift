import ManagedContext
import NewsModel

/// Plain answers for several feeds, which one save writes without objects; see ``FeedAnswer/isPlain(_:)``.
struct PlainAnswers {
  private var feeds = RowBatch(entity: NewsModel.Place.feed, columns: FeedAnswer.columns)
  private var records = FeedAnswer.records()

  /// Adds an answer. The feed's row must be the same as for its request.
  mutating func append(_ answer: FeedAnswer, of request: FeedRequest) {
    var edit = EditedRow(request.row, columns: FeedAnswer.columns)
    let slot = answer.write(to: &edit)
    edit.append(to: &feeds)
    answer.appendRecord(of: request, slot: slot, to: &records)
  }

  /// Passes the answers to the context's parent.
  ///
  /// The save is a conflict if a row has changed. Nothing is written then.
  func push(in context: ManagedObjectContext) throws(StoreError) -> SaveTicket? {
    context.edit(BatchEdit(feeds))
    context.insert(BatchUpsert(records, unique: FeedAnswer.recordPlace))
    return try context.push()
  }
}
