internal import Markup

/// Builds a feed's details.
struct DetailsBuilder {
  /// The ranks that the sources have so far.
  private struct Ranks {
    var title = UInt8.max
    var homePage = UInt8.max
    var description = UInt8.max
    var icon = UInt8.max
    var language = UInt8.max
    var authors = UInt8.max
    var modified = UInt8.max
  }

  var details = FeedDetails()
  private var ranks = Ranks()
  /// The lists that were too long.
  private var cuts: CutLists = []
  /// The current category's attributes.
  private var category = FeedDetails.Category(term: "")

  private static let iTunesScheme = "http://www.itunes.com/"

  /// Returns whether a list with `count` entries has room for another. If not, the list is counted as cut,
  /// once.
  mutating func hasRoom(_ count: Int, in list: CutLists, _ texts: inout TextBuffer) -> Bool {
    if count < texts.limits.listCount { return true }
    if cuts.insert(list).inserted { details.shortenedListCount += 1 }
    return false
  }

  /// Adds an entry to a list that has room, unless the list contains it.
  private mutating func add<Entry: Equatable>(
    _ entry: Entry, to entries: WritableKeyPath<FeedDetails, [Entry]>, _ list: CutLists,
    _ texts: inout TextBuffer
  ) {
    guard !details[keyPath: entries].contains(entry),
      hasRoom(details[keyPath: entries].count, in: list, &texts)
    else { return }
    details[keyPath: entries].append(entry)
  }

  /// Returns whether a source for a field is better than the current one.
  func wants(_ field: Capture.Field, _ rank: UInt8) -> Bool {
    switch field {
    case .feedTitle: rank < ranks.title
    case .feedDescription: rank < ranks.description
    case .feedLanguage: rank < ranks.language
    case .feedIcon: rank < ranks.icon
    case .feedModified: rank < ranks.modified
    case .feedRights: rank == 0 || details.rights == nil
    default: true
    }
  }

  /// Returns whether a source for authors is at least as good as the current one.
  func wantsAuthor(_ rank: UInt8) -> Bool { rank <= ranks.authors }

  // MARK: Attributes

  /// Takes a link with an address.
  ///
  /// - Parameter isOwn: True if the element belongs to the feed's format.
  mutating func takeLink(
    _ url: String, isOwn: Bool, isRSS: Bool, _ attributes: XMLAttributes, _ texts: inout TextBuffer
  ) {
    switch texts.relation(of: attributes) {
    case .alternate:
      let rank: UInt8 = (isOwn ? 0 : 1) + (texts.isOfPage(attributes) ? 0 : 1)
      if rank < ranks.homePage || (rank == ranks.homePage && isRSS) {
        (details.homePageURL, ranks.homePage) = (url, rank)
        texts.notePage(url)
      }
    case .selfLink: if details.feedURL == nil { details.feedURL = url }
    case .hub: add(url, to: \.hubs, .hubs, &texts)
    case .next: details.nextPageURL = details.nextPageURL ?? url
    case .enclosure, .related, .image, .replies, .license, .other: takeRelatedLink(url, attributes, &texts)
    case .edit: break
    }
  }

  private mutating func takeRelatedLink(
    _ url: String, _ attributes: XMLAttributes, _ texts: inout TextBuffer
  ) {
    guard url.utf8.count <= TextBuffer.longestEntry else { return }
    let link = RelatedLink(
      url: url, relation: texts.entry(.rel, of: attributes), type: texts.entry(.type, of: attributes),
      title: texts.entry(.title, of: attributes), language: texts.entry(.hreflang, of: attributes),
      size: texts.value(.length, of: attributes) { Quantity.whole($0) })
    add(link, to: \.links, .links, &texts)
  }

  mutating func takeGenerator(_ attributes: XMLAttributes, _ texts: inout TextBuffer) {
    details.generatorURL = texts.address(.uri, of: attributes) ?? texts.address(.url, of: attributes)
    details.generatorVersion = texts.value(.version, of: attributes) { $0.text }
  }

  /// Takes `itunes:image` and similar elements: an icon with the lowest rank.
  mutating func takeImage(_ attributes: XMLAttributes, _ texts: inout TextBuffer) {
    guard ranks.icon > 3, let icon = texts.address(.href, of: attributes) else { return }
    (details.icon, ranks.icon) = (icon, 3)
  }

  /// Takes a category's attributes; returns true if its text is the term.
  mutating func takeCategory(isMedia: Bool, _ attributes: XMLAttributes, _ texts: inout TextBuffer) -> Bool {
    guard hasRoom(details.categories.count, in: .categories, &texts) else { return false }
    let label = texts.entry(.label, of: attributes)
    let scheme = texts.entry(.scheme, of: attributes) ?? texts.entry(.domain, of: attributes)
    // Media RSS has a label in addition to the text, Atom instead of it.
    if let term = texts.entry(.term, of: attributes) ?? (isMedia ? nil : label) {
      add(
        FeedDetails.Category(term: term, scheme: scheme, label: label), to: \.categories, .categories, &texts)
      return false
    }
    category = FeedDetails.Category(term: "", scheme: scheme, label: label)
    return true
  }

  /// Takes an `itunes:category`.
  ///
  /// - Parameter isInner: True if it is inside another one.
  mutating func takeITunesCategory(
    isInner: Bool, _ attributes: XMLAttributes, _ texts: inout TextBuffer
  ) {
    let outer = isInner ? details.categories.last { $0.scheme == Self.iTunesScheme && $0.parent == nil } : nil
    guard let term = texts.entry(.text, of: attributes) else { return }
    let category = FeedDetails.Category(term: term, scheme: Self.iTunesScheme, parent: outer?.term)
    add(category, to: \.categories, .categories, &texts)
  }

  // MARK: Persons

  /// Adds an author. Authors from a better source replace authors from a worse one.
  mutating func add(_ author: FeedDetails.Author, rank: UInt8, _ texts: inout TextBuffer) {
    guard wantsAuthor(rank) else { return }
    if rank < ranks.authors {
      details.authors = []
      ranks.authors = rank
    }
    add(author, to: \.authors, .authors, &texts)
  }

  // MARK: Texts

  /// Takes a field's text.
  ///
  /// - Parameter capture: The field, with its source's rank.
  mutating func take(_ capture: Capture, _ texts: inout TextBuffer) {
    let start = capture.start
    switch capture.field {
    case .feedTitle: texts.takeText(from: start).map { (details.title, ranks.title) = ($0, capture.rank) }
    case .feedLink:
      texts.resolveAddress(from: start)
      texts.takeText(from: start).map { page in
        (details.homePageURL, ranks.homePage) = (page, capture.rank)
        texts.notePage(page)
      }
    case .feedDescription:
      if capture.kind != .text { texts.resolveAddressesInHTML(from: start, against: texts.bases.last) }
      texts.takeText(from: start).map { (details.description, ranks.description) = ($0, capture.rank) }
    case .feedIcon:
      texts.resolveAddress(from: start, isPicture: true)
      texts.takeText(from: start).map { (details.icon, ranks.icon) = ($0, capture.rank) }
    case .feedLanguage:
      texts.takeText(from: start).map { (details.language, ranks.language) = ($0, capture.rank) }
    case .feedID: texts.takeText(from: start).map { details.id = details.id ?? $0 }
    case .feedCategory:
      guard let term = texts.takeText(from: start), term.utf8.count <= TextBuffer.longestEntry else { break }
      category.term = term
      add(category, to: \.categories, .categories, &texts)
    case .feedRights: texts.takeText(from: start).map { details.rights = $0 }
    case .feedGenerator: texts.takeText(from: start).map { details.generator = $0 }
    case .feedPublished:
      guard let seconds = texts.takeDate(from: start) else { break }
      details.published = details.published ?? seconds
      if capture.rank < ranks.modified { (details.modified, ranks.modified) = (seconds, capture.rank) }
    case .feedModified:
      texts.takeDate(from: start).map { (details.modified, ranks.modified) = ($0, capture.rank) }
    case .updateBase: texts.takeDate(from: start).map { details.updateBase = $0 }
    default: takeSchedule(capture.field, texts.takeText(from: start))
    }
    texts.removeTexts(from: start)
  }

  private mutating func takeSchedule(_ field: Capture.Field, _ text: String?) {
    guard let text else { return }
    switch field {
    case .timeToLive: details.timeToLiveMinutes = Int(text).flatMap { $0 >= 0 ? $0 : nil }
    case .skipHour:
      // 24 means midnight in the first drafts.
      guard let hour = Int(text), (0...24).contains(hour), !details.skipHours.contains(hour % 24) else {
        return
      }
      details.skipHours.append(hour % 24)
    case .skipDay:
      guard let day = Self.weekday(text), !details.skipDays.contains(day) else { return }
      details.skipDays.append(day)
    case .updatePeriod: details.updatePeriod = text.lowercased()
    case .updateFrequency: details.updateFrequency = Int(text).flatMap { $0 > 0 ? $0 : nil }
    default: break
    }
  }

  /// Returns a day's English name from its first three letters.
  private static func weekday(_ text: String) -> String? {
    let days = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
    let start = text.prefix(3).lowercased()
    return days.first { $0.prefix(3).lowercased() == start }
  }
}
