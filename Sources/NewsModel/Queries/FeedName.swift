/// A feed's title and web site, as given by a feed list.
public struct FeedName: Sendable, Equatable {
  /// The title; nil if the list does not give it.
  public var title: String?
  /// The web site's address; nil if the list does not give it.
  public var homePage: String?

  /// Creates a name.
  public init(title: String?, homePage: String?) {
    self.title = title
    self.homePage = homePage
  }
}
