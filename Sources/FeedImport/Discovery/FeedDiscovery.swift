import Foundation
import FeedParsing
import HTTPDownload
import NewsModel
import Threading
public import WebAddress
import Sequences

/// Finds the feeds that web pages offer.
///
/// A found feed is read and discarded, including its validators: they belong to saved articles, and the
/// feed's first poll requests all of it.
///
/// An address is requested once, however many addresses lead to it, and a host over at most four connections.
public final class FeedDiscovery: Sendable {
  private let downloader: Downloader
  private let pauses: SharedPauses
  private let answers = Locked<[String: Task<FeedSearch.Answer, Never>]>([:])

  /// The limit for simultaneous searches: each may have a whole document in memory.
  private static let atOnce = 8

  /// Creates a discovery.
  ///
  /// - Parameters:
  ///   - userAgent: The User-Agent for requests.
  ///   - publicOnly: True to refuse private networks' and this machine's addresses, after name resolution.
  ///   - pauses: The pauses that servers have requested.
  /// - Throws: ``SingleDownload/Failure`` if the downloader cannot be created.
  public init(
    userAgent: String, publicOnly: Bool = false, pauses: ServerPauses = ServerPauses()
  ) throws(SingleDownload.Failure) {
    self.pauses = SharedPauses(pauses)
    var configuration = DownloaderConfiguration(userAgent: userAgent)
    configuration.allowsPrivateAddresses = !publicOnly
    configuration.jobs = Self.atOnce
    downloader = try SingleDownload.downloader(configuration)
  }

  deinit {
    downloader.shutdown()
  }

  /// Searches for each address's feed, several at once.
  ///
  /// - Parameters:
  ///   - addresses: Valid addresses.
  ///   - additions: The additions to requests in the searches from these addresses. Header fields and
  ///     credentials are for the address's own scheme, host and port.
  /// - Returns: The results, in the order of `addresses`.
  public func discover(_ addresses: [WebAddress], adding additions: [WebAddress: RequestAdditions] = [:])
    async
    -> [Discovery]
  {
    await withTaskGroup(of: (Int, Discovery).self) { group in
      var results: [Discovery?] = addresses.map { _ in nil }
      for (place, address) in addresses.enumerated() {
        if place >= Self.atOnce, let (place, result) = await group.next() { results[place] = result }
        group.addTask { (place, await self.discover(address, additions[address] ?? RequestAdditions())) }
      }
      for await (place, result) in group { results[place] = result }
      return results.compactMap(\.self)
    }
  }

  private func discover(_ home: WebAddress, _ additions: RequestAdditions) async -> Discovery {
    var search = FeedSearch(home)
    while let address = search.next {
      let isAtHome = address.hasSameOrigin(as: home)
      search.take(await answer(of: address, isAtHome ? additions : additions.elsewhere))
    }
    return search.result.permitted(by: additions)
  }

  private func answer(of address: WebAddress, _ additions: RequestAdditions) async -> FeedSearch.Answer {
    if let failure = pauses.failure(of: address) { return .failed(failure) }
    let task = answers.withLock { answers in
      let identity = additions.identity(at: address)
      let task =
        answers[identity]
        ?? Task { [downloader, pauses] in await Self.ask(address, downloader, additions, pauses) }
      answers[identity] = task
      return task
    }
    return await task.value
  }

  private static func ask(
    _ address: WebAddress, _ downloader: Downloader, _ additions: RequestAdditions, _ pauses: SharedPauses
  ) async -> FeedSearch.Answer {
    let document: SingleDownload.Document
    do throws(SingleDownload.Failure) {
      document = try await SingleDownload.document(
        at: address, with: downloader, adding: additions, obeying: pauses)
    } catch {
      return .failed(error.pausedAddress.flatMap(pauses.failure) ?? error)
    }
    return answer(for: document, askedAt: address)
  }

  static func answer(for document: SingleDownload.Document, askedAt address: WebAddress) -> FeedSearch.Answer
  {
    let source = DocumentSource(url: document.address.text, contentType: document.contentType)
    let parser = FeedParser(source: source)
    var items = 0
    do throws(FeedError) {
      for chunk in document.bytes.chunks(of: chunkBytes) {
        try parser.push(chunk)
        items += parser.takeItems().items.count
      }
      let details = try parser.finish()
      items += parser.takeItems().items.count
      guard let format = details.format else { return .unusable("no feed") }
      let moved = document.permanentAddress.flatMap { $0.problem == nil ? $0 : nil }
      return .feed(
        FoundFeed(
          address: moved ?? address, title: details.title, format: format, items: items,
          timeToLiveMinutes: details.timeToLiveMinutes))
    } catch {
      guard case .notAFeed(let looksLike) = error else { return .unusable(error.description) }
      let links = FeedLink.ranked(
        FeedLink.all(in: document.bytes, from: source, linkField: document.link), of: document.address.text)
      // With links, `looksLike` would name the first again.
      let words = links.isEmpty ? looksLike : "an HTML page"
      return .page(looksLike: words, address: document.address, links: links)
    }
  }

  private static let chunkBytes = 64 << 10
}
