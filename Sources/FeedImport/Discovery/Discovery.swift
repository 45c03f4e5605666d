public import FeedParsing
public import Foundation
public import WebAddress

/// What was found at an address that somebody gave: its feed, or why there is none.
public struct Discovery: Sendable, Equatable {
  /// How it ended.
  public enum Outcome: Sendable, Equatable {
    /// The address is or leads to a feed, which was downloaded and read.
    case found(FoundFeed)
    /// It does not.
    case failed(Failure)
  }

  /// Why no feed was found.
  public struct Failure: Sendable, Equatable {
    /// What kept it from being found.
    public enum Kind: Sendable {
      /// There was no answer, or none with a document.
      case unavailable
      /// There is a document, but it is no feed and leads to none.
      case noFeed
      /// There is a feed, but at an address to which header fields or credentials of the region would be sent though the
      /// user named another.
      case foreign
    }

    /// What kept it from being found.
    public let kind: Kind
    /// In words. May hold addresses as a page has them: escape control characters before it is printed.
    public let cause: String
    /// What to do about it.
    public let advice: String
    /// When the server wants to be asked again (Retry-After); nil where it said nothing.
    public var notBefore: Date?
  }

  /// The address that was given.
  public let address: WebAddress
  /// The feed, or why there is none.
  public let outcome: Outcome
  /// The other feeds that the page declares, the best first; they were not asked.
  public let others: [FeedLink]
  /// How many addresses were asked.
  public let requests: Int
}

extension Discovery {
  /// What may be added without the user's word: where something is bound to the host of the address that was given, no
  /// feed of another one. A page or a redirect would say else who gets the credentials.
  func heeding(_ additions: RequestAdditions) -> Discovery {
    guard additions.isBoundToHost, case .found(let feed) = outcome, !feed.address.hasSameOrigin(as: address)
    else { return self }
    let cause =
      "its feed is at \(feed.address), another host, to which credentials or headers of the "
      + "configuration would be sent"
    let advice =
      "if they are for that host, add that address itself (newsimport region add, without --discover); "
      + "else in another region"
    return Discovery(
      address: address, outcome: .failed(Failure(kind: .foreign, cause: cause, advice: advice)),
      others: others,
      requests: requests)
  }
}

/// A feed that was downloaded and read.
public struct FoundFeed: Sendable, Equatable {
  /// The address that was asked, or the one to which it has moved for good.
  public let address: WebAddress
  /// Its title; nil when it has none.
  public let title: String?
  /// Its format.
  public let format: FeedDetails.Format
  /// How many items it has now.
  public let items: Int
  /// For how many minutes it may be kept (RSS `ttl`); nil when it does not say.
  public let timeToLiveMinutes: Int?
}
