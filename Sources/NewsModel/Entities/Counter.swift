public import ManagedContext

/// A number that only grows: what the fetches on the store have done since it was created, for monitoring. A run
/// that is killed is not counted.
public final class Counter: ManagedObject, Entity {
  override public class var entityName: String { "counter" }

  public struct Schema: Sendable {
    /// With ``kind``: ``Key``.
    let subject = Attribute<String>("subject")
    let kind = Attribute<String>("kind")
    /// The number.
    public let total = Attribute<Int>("total")
  }

  public static let entity = EntityDeclaration(
    Counter.self, Schema(), unique: { [[$0.subject, $0.kind]] }, history: { _ in .ofClaims })

  /// What a counter counts.
  public struct Key: Hashable, Sendable {
    public enum Subject: String, CaseIterable, Sendable {
      /// Answers and failures. The kind is the ``FetchOutcome``.
      case polls
      /// Failed polls. The kind is the code in ``PollFailure``; `other` for a failure without a code.
      case failures
      /// Articles. The kind is `new` or `edited`.
      case articles
      /// Bytes of bodies after decoding. The kind is empty.
      case bytes
    }

    public let subject: Subject
    public let kind: String

    /// Creates a key.
    public init(_ subject: Subject, _ kind: String = "") {
      (self.subject, self.kind) = (subject, kind)
    }
  }

  /// What it counts; nil if another program has written an unknown subject.
  public var key: Key? { Key.Subject(rawValue: self.subject).map { Key($0, self.kind) } }
}

extension DataSource {
  /// Returns all counters.
  public func counters() throws(StoreError) -> [Counter.Key: Int] {
    var totals: [Counter.Key: Int] = [:]
    for counter in try context.fetch(FetchRequest(Counter.self)) {
      if let key = counter.key { totals[key] = counter.total }
    }
    return totals
  }

  /// Adds amounts to counters, with the next save.
  public func add(_ amounts: [Counter.Key: Int]) throws(StoreError) {
    var known: [Counter.Key: Counter] = [:]
    for counter in try context.fetch(FetchRequest(Counter.self)) {
      if let key = counter.key { known[key] = counter }
    }
    for (key, amount) in amounts where amount > 0 {
      if let counter = known[key] {
        // It stays at the largest number.
        let (sum, hasOverflown) = counter.total.addingReportingOverflow(amount)
        counter.total = hasOverflown ? .max : sum
      } else {
        let counter = context.insert(Counter.self)
        counter.subject = key.subject.rawValue
        counter.kind = key.kind
        counter.total = amount
      }
    }
  }
}
