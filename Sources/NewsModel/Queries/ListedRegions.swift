import WebAddress

/// The feeds that a list has for each region.
public struct ListedRegions: Sendable, Equatable {
  /// The regions in the list's order, each once, with valid addresses.
  public let lists: [DataSource.ListedFeeds]

  /// - Parameter lists: The regions, each once.
  public init(_ lists: [DataSource.ListedFeeds]) { self.lists = lists }

  /// The number of feeds; a feed in two regions counts twice.
  public var count: Int { lists.reduce(0) { $0 + $1.urls.count } }

  /// Returns the feeds that `other` does not have in the same region. Regions without such feeds are left out.
  public func subtracting(_ other: ListedRegions) -> ListedRegions {
    let known = Dictionary(
      other.lists.map { ($0.region, Set($0.urls)) }, uniquingKeysWith: { $0.union($1) })
    return ListedRegions(
      lists.compactMap { list in
        let urls = list.urls.filter { known[list.region]?.contains($0) != true }
        return urls.isEmpty ? nil : DataSource.ListedFeeds(region: list.region, urls: urls)
      })
  }

  /// Returns whether so many feeds are missing in `new` that the list is probably damaged: more than half.
  public func isMostlyLost(in new: ListedRegions) -> Bool { 2 * subtracting(new).count > count }

  // MARK: Text

  /// A line for each feed: its region, a tab and its address. Neither contains control characters.
  var text: String {
    lists.flatMap { list in list.urls.map { "\(list.region)\t\($0.text)\n" } }.joined()
  }

  /// Reads ``text``. Lines in another form are skipped.
  init(text: String) {
    var regions: [String] = []
    var urls: [String: [WebAddress]] = [:]
    for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
      guard let tab = line.firstIndex(of: UInt8(ascii: "\t")) else { continue }
      let region = String(Substring(line[..<tab]))
      if urls[region] == nil { regions.append(region) }
      urls[region, default: []].append(WebAddress(String(Substring(line[tab...].dropFirst()))))
    }
    lists = regions.map { DataSource.ListedFeeds(region: $0, urls: urls[$0] ?? []) }
  }
}
