import Foundation
import NewsModel
import TextOutput

/// What the store knows of a feed: what ``FeedExplanation`` tells, and what it has of it.
@MainActor
struct FeedPage {
  let explanation: FeedExplanation
  let articles: Int
  /// When an article of it was last saved for the first time; nil without articles.
  let newestImport: Date?

  private var feed: Feed { explanation.feed }

  /// A line for each thing that is known.
  var text: String {
    var lines = [("title", feed.shownTitle ?? "(no title)")]
    if let homePage = feed.homePage { lines.append(("site", homePage)) }
    let newest = newestImport.map { ", the last one new at \(localMinute($0))" } ?? ""
    lines.append(("articles", grouped(articles) + newest))
    return FeedExplanation.text(of: lines) + explanation.text
  }

  /// One JSON object on one line.
  var json: String {
    var line = JSONLine()
    explanation.addFields(to: &line)
    line.add("title", feed.shownTitle)
    line.add("home_page_url", feed.homePage)
    line.add("articles", articles)
    line.add("newest_import", newestImport)
    return line.line
  }
}
