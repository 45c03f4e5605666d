import FeedImport
import Foundation
import ManagedContext
import NewsModel
import WebAddress
import TextOutput

@MainActor
func show(_ command: FeedCommand.Show) async throws {
  let stack = try NewsStack.existing(command.storeOptions, forFeed: command.name.feed, for: .reading)
  let feed = try stack.feed(at: command.name.feed)
  let explanation = try FeedExplanation(feed, command.configurationOptions, in: stack)
  let articles = try stack.reading { try stack.source.articleCount(of: feed) }
  let newest = try stack.reading { try stack.source.newestImport(of: feed) }
  let page = FeedPage(explanation: explanation, articles: articles, newestImport: newest)
  if command.json { Output.standard.write(page.json) } else { Output.standard.tell(page.text) }
}

@MainActor
func move(_ command: FeedCommand.Move) async throws {
  try checkRegionName(command.region)
  let stack = try NewsStack.existing(command.storeOptions, forFeed: command.name.feed)
  let address = try stack.feed(at: command.name.feed).url
  let (move, known) = try await stack.change {
    let feed = try stack.feed(at: address.text)
    let known = try stack.source.regions().map(\.name)
    let regions = try stack.source.regions(of: feed).map(\.name)
    let move = try RegionChange(
      from: regions, leaving: command.from, to: command.region, feed: address.description)
    if let left = move.left { try stack.source.remove(feed, from: try stack.region(named: left)) }
    _ = try stack.source.add([feed.url], toRegionNamed: command.region)
    return (move, known)
  }
  let origin = move.left.map { " from \(printable($0))" } ?? ""
  let isNew = !known.contains(command.region)
  Output.standard.tell(
    "moved  \(address)\(origin) to \(printable(command.region))\(isNew ? ", a new region" : "")\n"
  )
  // Nobody means the region that the feed was in.
  if isNew, let near = nearestWord(to: command.region, among: known.filter { $0 != move.left }) {
    Output.error.tell(
      "newsimport: \(printable(command.region)) is a new region; did you mean \(printable(near))?\n")
  }
}

@MainActor
func remove(_ command: FeedCommand.Remove) async throws {
  let stack = try NewsStack.existing(command.storeOptions, forFeed: command.name.feed)
  let feed = try stack.feed(at: command.name.feed, isDeletion: command.region == nil)
  let address = feed.url.description
  let regions = try stack.reading { try stack.source.regions(of: feed).map(\.name) }
  if let name = command.region {
    let region = try stack.region(named: name)
    guard regions.contains(name) else {
      let places = regions.isEmpty ? "in no region" : "in \(regions.map(printable).joined(separator: ", "))"
      throw CommandFailure(.noInput, "\(address): not in region \(printable(name)); it is \(places)")
    }
    try stack.reading { try stack.source.remove(feed, from: region) }
    try await stack.save()
    let rest = regions.count > 1 ? "" : "; it is in no region now, and not fetched any more"
    Output.standard.tell("removed  \(address) from region \(printable(name))\(rest)\n")
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
  guard try Question.isConfirmed("remove \(what)\(places)", isGiven: command.yes) else {
    Output.error.tell("nothing was removed\n")
    return
  }
  let context = BackgroundContext(parent: stack.root, name: "remove", mergePolicy: .objectTrumps)
  do throws(StoreError) {
    try await FeedRemoval.remove(feed.id, in: context)
  } catch {
    throw CommandFailure(error, store: stack.path)
  }
  Output.standard.tell("removed  \(what)\n")
}

@MainActor
func rename(_ command: FeedCommand.Rename) async throws {
  if let title = command.title { try await retitle(command, title) }
  guard let newAddress = command.address else { return }
  let target: WebAddress
  do throws(WebAddress.Problem) {
    target = try WebAddress(listed: newAddress)
  } catch {
    throw CommandFailure(
      .badInput,
      "\(WebAddress.withoutPassword(newAddress)): \(error); nothing was renamed\(schemeQuestion(newAddress))"
    )
  }
  let stack = try NewsStack.existing(command.storeOptions, forFeed: command.name.feed)
  let feed = try stack.feed(at: command.name.feed)
  let address = feed.url.description
  if feed.url == target {
    Output.error.tell("\(address): this is its address already\n")
    return
  }
  let table = try command.configurationOptions.load().configuration.table(ofFeed: feed.url)
  let losses = try stack.reading {
    try FeedMoves.losses(of: feed, renamedTo: target, in: stack.main.context)
  }
  if losses > 0 {
    let deed =
      "rename \(address) -> \(target), merged with the feed at that address, "
      + "and delete \(lostArticles(losses))"
    guard try Question.isConfirmed(deed, isGiven: command.yes) else {
      Output.error.tell("nothing was renamed\n")
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
  Output.standard.tell("renamed  \(address) -> \(move.to)\(merged)\(gone)\n")
  if table != nil {
    Output.error.tell(
      "newsimport: \(address): its table in the configuration is for the old address; write the new one there\n"
    )
  }
}

/// Gives a feed a title of the user's own, or with an empty one its publisher's again.
@MainActor
private func retitle(_ command: FeedCommand.Rename, _ title: String) async throws {
  let stack = try NewsStack.existing(command.storeOptions, forFeed: command.name.feed)
  let (address, shown) = try await stack.change {
    let feed = try stack.feed(at: command.name.feed)
    feed.ownTitle = title.isEmpty ? nil : title
    return (feed.url, feed.shownTitle ?? "(no title)")
  }
  Output.standard.tell("titled  \(address)  \(printable(shown))\n")
}

/// The articles that go with a feed which becomes one with another.
private func lostArticles(_ count: Int) -> String {
  "\(grouped(count)) of its articles that the other has with another text"
}
