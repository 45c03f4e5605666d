public import FeedParsing
public import Foundation
public import WebAddress

/// The result of a feed search that began at an address.
public struct Discovery: Sendable, Equatable {
  /// The reason why no feed was found.
  public struct Failure: Error, Equatable {
    /// The kind of reason.
    public enum Kind: Sendable {
      /// The server sent no answer, or no document.
      case unavailable
      /// The document is not a feed and leads to none.
      case noFeed
      /// A feed exists, but at an address that would receive the region's header fields or credentials
      /// although the user named another address.
      case foreign
    }

    /// The kind of reason.
    public let kind: Kind
    /// The reason in words. It may contain addresses from a page: escape control characters before printing.
    public let cause: String
    /// Advice for the user.
    public let advice: String
    /// The end of a pause that the server requested (Retry-After); nil without a pause.
    public var notBefore: Date?
  }

  /// The address that was given.
  public let address: WebAddress
  /// The feed, which was downloaded and read, or the reason why none was found.
  public let outcome: Result<FoundFeed, Failure>
  /// The other feeds that the page declares, best first. They were not requested.
  public let others: [FeedLink]
  /// The request count.
  public let requests: Int
}

extension Discovery {
  /// Returns the discovery that may be used without the user's consent. If header fields or credentials are
  /// bound to the given address's host, a feed on another host is rejected. Otherwise a page or a redirect
  /// would determine the receiver of the credentials.
  func permitted(by additions: RequestAdditions) -> Discovery {
    guard additions.isBoundToHost, case .success(let feed) = outcome, !feed.address.hasSameOrigin(as: address)
    else { return self }
    let cause =
      "its feed is at \(feed.address), another host, to which credentials or headers of the "
      + "configuration would be sent"
    let advice =
      "if they are for that host, add that address itself; else in another region"
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
  /// The feed's title; nil without one.
  public let title: String?
  /// The feed's format.
  public let format: FeedDetails.Format
  /// The item count.
  public let items: Int
  /// The minutes that the publisher allows for caching the feed (RSS `ttl`); nil if not stated.
  public let timeToLiveMinutes: Int?
}
