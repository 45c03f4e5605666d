import FeedParsing
import Foundation
import NewsModel
import TextOutput
import WebAddress

/// The regions, feeds and names in a feed list, and the entries that are no feeds.
struct FeedListPlan {
  /// The feeds for each region.
  private(set) var regions = ListedRegions([])
  /// Titles and pages by address.
  private(set) var called: [WebAddress: FeedName] = [:]
  /// The number of refused entries for each region.
  private(set) var refused: [String: Int] = [:]
  /// The refused entries, for messages.
  private(set) var refusals: RefusedAddresses

  /// - Parameters:
  ///   - file: The list's place, for messages.
  ///   - region: The region for all feeds; nil for the list's folders.
  init(_ list: FeedList, of file: String, inRegion region: String?) {
    refusals = RefusedAddresses(of: file)
    var urls: [String: [WebAddress]] = [:]
    var names: [String] = []
    // A feed that is also in a folder is not added to the default region.
    let isInFolder = Set(
      list.entries.lazy.filter { $0.folder != nil || !$0.categories.isEmpty }
        .compactMap { try? WebAddress(listed: $0.url) })
    // Growing would take half as much again. A list of addresses has no names.
    if !list.isText { called.reserveCapacity(list.entries.count) }
    for entry in list.entries {
      let folders =
        region.map { [$0] } ?? distinct((entry.folder.map { [$0] } ?? []) + entry.categories).map(cleanName)
      let places = folders.isEmpty ? ["imported"] : folders
      guard let url = address(of: entry, in: places[0]) else { continue }
      for name in places where !folders.isEmpty || !isInFolder.contains(url) {
        if urls[name] == nil { names.append(name) }
        urls[name, default: []].append(url)
      }
      let page = entry.homePage.flatMap { try? WebAddress(listed: $0).text }
      let title = entry.title == entry.url ? nil : entry.title
      if title != nil || page != nil { called[url] = FeedName(title: title, homePage: page) }
    }
    regions = ListedRegions(
      names.map { DataSource.ListedFeeds(region: $0, urls: distinct(urls[$0] ?? [])) })
  }

  /// Returns an entry's address; nil after counting a refused entry.
  private mutating func address(of entry: FeedList.Entry, in region: String) -> WebAddress? {
    do throws(WebAddress.Problem) {
      if !entry.isScraped { return try WebAddress(listed: entry.url) }
      refusals.add(page: entry.url)
    } catch {
      refusals.add(entry.url, line: entry.line, error)
    }
    refused[region, default: 0] += 1
    return nil
  }

  /// Returns the plan for a list, after printing the entries that are no feeds.
  ///
  /// - Throws: ``CommandFailure`` with status 65 for a list without feeds, or with too many regions.
  @MainActor
  static func checked(_ list: FeedList, of file: String, inRegion region: String?) throws -> FeedListPlan {
    guard !list.entries.isEmpty else {
      throw CommandFailure(.badInput, "\(file): it contains no feeds; is it OPML, or a list of addresses?")
    }
    let plan = FeedListPlan(list, of: file, inRegion: region)
    let count = plan.regions.lists.count
    if count == 0, list.isText, !list.entries.contains(where: { $0.url.contains("://") }) {
      throw noList(file)
    }
    Output.error.print(plan.refusals.text)
    guard count > 0 else { throw plan.noFeeds(in: file) }
    guard count <= FeedListImport.mostRegions else {
      throw CommandFailure(
        .badInput,
        "\(file): \(grouped(count)) folders, more than \(grouped(FeedListImport.mostRegions)); nothing was "
          + "added; put all feeds into one region with --region")
    }
    return plan
  }

  private func noFeeds(in file: String) -> CommandFailure {
    let whose =
      refusals.count == 1 ? "its only feed has no" : "none of its \(grouped(refusals.count)) feeds has an"
    let cause =
      refusals.pages == refusals.count
      ? "it contains no feeds, only pages that the other program makes feeds from"
      : "\(whose) http or https address"
    return CommandFailure(.badInput, "\(file): \(cause)")
  }

  /// Returns the failure for a document that is not a list.
  static func noList(_ file: String) -> CommandFailure {
    CommandFailure(.badInput, "\(file): neither OPML nor a list of http and https addresses, one per line")
  }
}

/// Makes a region name from a folder name. Drops characters that cannot be typed or shown, and a start that
/// would mark an option or a query; shortens long names.
private func cleanName(_ folder: String) -> String {
  let name = folder.unicodeScalars.filter { !Unicode.Scalar.isUnsafe($0.value) }
  var bounded = ""
  let start = name.drop { $0 == "-" || $0 == "@" || $0.properties.isWhitespace }
  for character in String(String.UnicodeScalarView(start)) {
    guard bounded.utf8.count + String(character).utf8.count <= Region.mostBytesOfName else { break }
    bounded.append(character)
  }
  bounded = bounded.trimmingCharacters(in: .whitespaces)
  return bounded.isEmpty ? "imported" : bounded
}
