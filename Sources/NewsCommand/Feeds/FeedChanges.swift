import FeedImport
import Foundation
import ManagedContext
import NewsModel
import WebAddress
import TextOutput

extension FeedCommand.Show {
  @MainActor
  func run() async throws {
    let stack = try NewsStack.existing(storeOptions, forFeed: name.feed, for: .reading)
    let feed = try stack.feed(at: name.feed)
    let explanation = try FeedExplanation(feed, configurationOptions, in: stack)
    let articles = try stack.reading { try stack.source.articleCount(of: feed) }
    let newest = try stack.reading { try stack.source.newestImport(of: feed) }
    let page = FeedPage(explanation: explanation, articles: articles, newestImport: newest)
    if json { Output.standard.write(page.json) } else { Output.standard.print(page.text) }
  }
}

extension FeedCommand.Move {
  @MainActor
  func run() async throws {
    try checkRegionName(region)
    let stack = try NewsStack.existing(storeOptions, forFeed: name.feed)
    let address = try stack.feed(at: name.feed).url
    let (move, known) = try await stack.change {
      let feed = try stack.feed(at: address.text)
      let known = try stack.source.regions().map(\.name)
      let regions = try stack.source.regions(of: feed).map(\.name)
      let move = try RegionChange(
        from: regions, leaving: from, to: region, feed: address.description)
      if let left = move.left { try stack.source.remove(feed, from: try stack.region(named: left)) }
      _ = try stack.source.add([feed.url], toRegionNamed: region)
      return (move, known)
    }
    let origin = move.left.map { " from \(printable($0))" } ?? ""
    let isNew = !known.contains(region)
    Output.standard.print(
      "moved  \(address)\(origin) to \(printable(region))\(isNew ? ", a new region" : "")\n"
    )
    // The region that the feed leaves is not suggested.
    if isNew, let near = nearestWord(to: region, among: known.filter { $0 != move.left }) {
      Output.error.print(
        "newsimport: \(printable(region)) is a new region; did you mean \(printable(near))?\n")
    }
  }
}

extension FeedCommand.Remove {
  @MainActor
  func run() async throws {
    let stack = try NewsStack.existing(storeOptions, forFeed: name.feed)
    let feed = try stack.feed(at: name.feed, isDeletion: region == nil)
    let address = feed.url.description
    let regions = try stack.reading { try stack.source.regions(of: feed).map(\.name) }
    if let name = region {
      let region = try stack.region(named: name)
      guard regions.contains(name) else {
        let places = regions.isEmpty ? "in no region" : "in \(regions.map(printable).joined(separator: ", "))"
        throw CommandFailure(.noInput, "\(address): not in region \(printable(name)); it is \(places)")
      }
      try stack.reading { try stack.source.remove(feed, from: region) }
      try await stack.save()
      let rest = regions.count > 1 ? "" : "; it is now in no region, and no longer fetched"
      Output.standard.print("removed  \(address) from region \(printable(name))\(rest)\n")
      return
    }
    let count = try stack.reading { try stack.source.articleCount(of: feed) }
    let starred = try stack.reading { try stack.source.starredCount(of: feed) }
    let what =
      "\(address) and its \(counted(count, "article"))"
      + (starred > 0 ? ", \(grouped(starred)) of them starred" : "")
    let places =
      regions.isEmpty
      ? ""
      : ", of \(regions.count == 1 ? "region" : "regions") \(regions.map(printable).joined(separator: ", "))"
    guard try Question.isConfirmed("remove \(what)\(places)", isGiven: yes) else {
      Output.error.print("nothing was removed\n")
      return
    }
    let context = BackgroundContext(parent: stack.root, name: "remove", mergePolicy: .objectTrumps)
    do throws(StoreError) {
      try await FeedRemoval.remove(feed.id, in: context)
    } catch {
      throw CommandFailure(error, store: stack.path)
    }
    Output.standard.print("removed  \(what)\n")
  }
}

extension FeedCommand.Rename {
  @MainActor
  func run() async throws {
    if let title = title { try await retitle(title) }
    guard let newAddress = address else { return }
    let target: WebAddress
    do throws(WebAddress.Problem) {
      target = try WebAddress(listed: newAddress)
    } catch {
      throw CommandFailure(
        .badInput,
        "\(WebAddress.withoutPassword(newAddress)): \(error); nothing was renamed\(schemeQuestion(newAddress))"
      )
    }
    let stack = try NewsStack.existing(storeOptions, forFeed: name.feed)
    let feed = try stack.feed(at: name.feed)
    let address = feed.url.description
    if feed.url == target {
      Output.error.print("\(address): this is already its address\n")
      return
    }
    let table = try configurationOptions.load().configuration.table(ofFeed: feed.url)
    let losses = try stack.reading {
      try FeedMoves.losses(of: feed, renamedTo: target, in: stack.main.context)
    }
    if losses > 0 {
      let action =
        "rename \(address) -> \(target), merged with the feed at that address, "
        + "and delete \(lostArticles(losses))"
      guard try Question.isConfirmed(action, isGiven: yes) else {
        Output.error.print("nothing was renamed\n")
        return
      }
    }
    let context = BackgroundContext(parent: stack.root, name: "rename", mergePolicy: .objectTrumps)
    let move: FeedMoves.Move?
    do throws(StoreError) {
      move = try await FeedMoves.rename(feed.id, to: target, in: context)
    } catch {
      throw CommandFailure(error, store: stack.path)
    }
    guard let move else { throw CommandFailure(.noInput, "\(address): it was removed meanwhile") }
    let merged = move.isMerged ? ", merged with the feed at that address" : ""
    let lost = move.lostArticles
    let gone = lost > 0 ? "; \(lostArticles(lost)) \(lost == 1 ? "is" : "are") gone" : ""
    Output.standard.print("renamed  \(address) -> \(move.to)\(merged)\(gone)\n")
    if table != nil {
      Output.error.print(
        "newsimport: \(address): its table in the configuration is for the old address; write the new one there\n"
      )
    }
  }

  /// Sets the user's title of a feed. An empty title restores the publisher's.
  @MainActor
  private func retitle(_ title: String) async throws {
    let stack = try NewsStack.existing(storeOptions, forFeed: name.feed)
    let (address, shown) = try await stack.change {
      let feed = try stack.feed(at: name.feed)
      feed.ownTitle = title.isEmpty ? nil : title
      return (feed.url, feed.shownTitle ?? "(no title)")
    }
    Output.standard.print("titled  \(address)  \(printable(shown))\n")
  }

  /// Describes the articles that are deleted when a feed is merged with another.
  private func lostArticles(_ count: Int) -> String {
    "\(grouped(count)) of its articles that have another text in the other feed"
  }
}
