import Foundation
import NewsModel
import TextOutput

/// The data of `feed show`: the ``FeedExplanation``, and the feed's articles.
@MainActor
struct FeedPage {
  let explanation: FeedExplanation
  let articles: Int
  /// The time of the latest import of a new article; nil without articles.
  let newestImport: Date?

  private var feed: Feed { explanation.feed }

  /// The page as text, one line for each known fact.
  var text: String {
    var lines = [("title", feed.shownTitle ?? "(no title)")]
    if let homePage = feed.homePage { lines.append(("site", homePage)) }
    let newest = newestImport.map { ", the last one new at \(localMinute($0))" } ?? ""
    lines.append(("articles", grouped(articles) + newest))
    return FeedExplanation.text(of: lines) + explanation.text
  }

  /// The page as a JSON object.
  var json: JSONLine {
    explanation.json + [
      "title": feed.shownTitle, "home_page_url": feed.homePage, "articles": articles,
      "newest_import": newestImport,
    ]
  }
}
