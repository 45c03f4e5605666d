/// What a feed is called, and the page that it belongs to, as a list of feeds says it.
public struct FeedName: Sendable, Equatable {
  /// The title; nil where it is not said.
  public var title: String?
  /// The page; nil where it is not said.
  public var homePage: String?

  /// Makes a name.
  public init(title: String?, homePage: String?) {
    self.title = title
    self.homePage = homePage
  }
}
