public import Foundation
public import ManagedContext

/// A machine that polls the store's feeds, with one configuration.
public final class Fetcher: ManagedObject, Entity {
  override public class var entityName: String { "fetcher" }

  public struct Schema: Sendable {
    /// The machine's name.
    public let host = Attribute<String>("host")
    /// The configuration's hash.
    public let settings = Attribute<Int64>("settings_hash")
    /// The end of the last run that polled feeds.
    public let polled = Attribute<Date>("polled", as: .secondsSince1970)
    /// The last time when the machine used the configuration again after another one, or alongside another one;
    /// nil if never.
    public let returned = Attribute<Date?>("returned", as: .secondsSince1970)
  }

  public static let entity = EntityDeclaration(
    Fetcher.self, Schema(), unique: { [[$0.host, $0.settings]] }, history: { _ in .ofClaims })
}

/// A machine's polls with one configuration: the values in a ``Fetcher``.
public struct FetcherUse: Sendable, Equatable {
  /// The machine's name.
  public let host: String
  /// The configuration's hash.
  public let settings: Int64
  /// The end of the last run that polled feeds.
  public let polled: Date
  /// The last time when the machine used the configuration again after another one, or alongside another one;
  /// nil if never.
  public let returned: Date?

  /// Creates the description for a machine's polls.
  public init(host: String, settings: Int64, polled: Date, returned: Date? = nil) {
    (self.host, self.settings, self.polled, self.returned) = (host, settings, polled, returned)
  }

  /// The minimum age of polls that no longer describe the present, in seconds.
  private static let memory: TimeInterval = 86_400

  /// Returns the machines that now poll with different configurations, by name; empty if there is only one
  /// configuration.
  ///
  /// An edited configuration is a new one, so only the last one for each machine counts, unless it uses
  /// several in turn.
  public static func differing(_ uses: [FetcherUse], at now: Date) -> [FetcherUse] {
    let isRecent = { (date: Date) in now.timeIntervalSince(date) < memory }
    let machines = Dictionary(grouping: uses.filter { isRecent($0.polled) }, by: \.host)
    let current = machines.values.flatMap { uses in
      let inTurn = uses.filter { $0.returned.map(isRecent) ?? false }
      return inTurn.count > 1 ? inTurn : uses.max { $0.polled < $1.polled }.map { [$0] } ?? []
    }
    guard Set(current.map(\.settings)).count > 1 else { return [] }
    return current.sorted { ($0.host, $0.polled) < ($1.host, $1.polled) }
  }
}

extension DataSource {
  /// Returns the machines that have polled feeds in the last week, with their configurations.
  public func fetchers() throws(StoreError) -> [FetcherUse] {
    try context.fetch(FetchRequest(Fetcher.self)).map {
      FetcherUse(host: $0.host, settings: $0.settings, polled: $0.polled, returned: $0.returned)
    }
  }

  /// Records a run that has polled feeds, with the next save.
  ///
  /// - Parameters:
  ///   - host: The machine's name.
  ///   - settings: The hash of the machine's configuration.
  public func noteFetcher(
    _ host: String, settings: Int64, from began: Date, to ended: Date
  ) throws(StoreError) {
    let week: TimeInterval = 7 * 86_400
    try context.deleteAll(Fetcher.self, where: \.polled < ended - week)
    let known = try context.fetch(FetchRequest(Fetcher.self, where: \.host == host))
    let others = known.filter { $0.settings != settings }
    let fetcher: Fetcher
    if let own = known.first(where: { $0.settings == settings }) {
      fetcher = own
      if others.contains(where: { $0.polled > own.polled }) { own.returned = ended }
    } else {
      fetcher = context.insert(Fetcher.self)
      fetcher.host = host
      fetcher.settings = settings
    }
    // If two runs overlap, neither configuration is an edit of the other.
    for other in others where other.polled >= began { (other.returned, fetcher.returned) = (ended, ended) }
    fetcher.polled = ended
  }
}
