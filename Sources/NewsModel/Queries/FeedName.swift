/// The title and the web site of a feed, as given by a feed list.
public struct FeedName: Sendable, Equatable {
  /// The title; nil if the list does not give it.
  public var title: String?
  /// The address of the web site; nil if the list does not give it.
  public var homePage: String?

  /// Creates a name.
  public init(title: String?, homePage: String?) {
    self.title = title
    self.homePage = homePage
  }
}
