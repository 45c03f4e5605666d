public import FeedParsing
public import Foundation
public import WebAddress

/// The result of a search for the feed of an address.
public struct Discovery: Sendable, Equatable {
  /// The reason why no feed was found.
  public struct Failure: Error, Equatable {
    /// The kind of the reason.
    public enum Kind: Sendable {
      /// There was no answer, or no document in it.
      case unavailable
      /// The document is not a feed and leads to none.
      case noFeed
      /// A feed exists, but at an address to which header fields or credentials of the region would be sent although
      /// the user named another address.
      case foreign
    }

    /// The kind of the reason.
    public let kind: Kind
    /// The reason in words. It may contain addresses from a page: escape control characters before printing.
    public let cause: String
    /// The way out.
    public let advice: String
    /// The end of a pause that the server requested (Retry-After); nil if there is no pause.
    public var notBefore: Date?
  }

  /// The address that was given.
  public let address: WebAddress
  /// The feed, which was downloaded and read, or the reason why none was found.
  public let outcome: Result<FoundFeed, Failure>
  /// The other feeds that the page declares, the best first. They were not requested.
  public let others: [FeedLink]
  /// The number of requests.
  public let requests: Int
}

extension Discovery {
  /// Returns the discovery that may be used without the user's consent: if header fields or credentials are bound to
  /// the host of the given address, a feed of another host is rejected. Otherwise a page or a redirect would determine
  /// who receives the credentials.
  func permitted(by additions: RequestAdditions) -> Discovery {
    guard additions.isBoundToHost, case .success(let feed) = outcome, !feed.address.hasSameOrigin(as: address)
    else { return self }
    let cause =
      "its feed is at \(feed.address), another host, to which credentials or headers of the "
      + "configuration would be sent"
    let advice =
      "if they are for that host, add that address itself (newsimport region add, without --discover); "
      + "else in another region"
    return Discovery(
      address: address, outcome: .failure(Failure(kind: .foreign, cause: cause, advice: advice)),
      others: others,
      requests: requests)
  }
}

/// A feed that was downloaded and read.
public struct FoundFeed: Sendable, Equatable {
  /// The requested address, or the target of permanent redirects.
  public let address: WebAddress
  /// Its title; nil without one.
  public let title: String?
  /// Its format.
  public let format: FeedDetails.Format
  /// The number of its items.
  public let items: Int
  /// The minutes during which it may be kept (RSS `ttl`); nil without.
  public let timeToLiveMinutes: Int?
}
