internal import Markup

/// Elements of `channel` and `feed`, outside of items.
extension FeedBuilder {
  mutating func startInFeed(_ meaning: ElementName, _ attributes: XMLAttributes) -> Role {
    // All of this is read again.
    if needsRepair { return .skipped }
    if isBehindFeed { return startInSecondFeed(meaning, attributes) }
    return apply(rule(.feed, meaning), meaning, attributes)
  }

  /// Begins an element of a second feed: only its items are used.
  private mutating func startInSecondFeed(_ meaning: ElementName, _ attributes: XMLAttributes) -> Role {
    guard meaning.vocabulary.isCore else { return .skipped }
    switch meaning.local {
    case .item, .entry: return beginItem(meaning, attributes)
    case .items, .channel: return .feed
    default: return .skipped
    }
  }

  // MARK: Fields

  /// Returns the value of an attribute as a resolved address.
  mutating func address(_ local: LocalName, of attributes: XMLAttributes) -> String? {
    let start = batch.bytes.count
    guard append(local, of: attributes) else { return nil }
    resolveAddress(from: start, isReference: true)
    return takeText(from: start)
  }

  mutating func startFeedLink(_ meaning: ElementName, _ attributes: XMLAttributes) -> Role {
    guard let url = address(.href, of: attributes) else { return startCapture(.feedLink, .plain) }
    switch relation(of: attributes) {
    case .alternate:
      let isPage = isOfPage(attributes)
      let isOwn = isAtom || meaning.vocabulary.isRSS
      let rank: UInt8 = (isOwn ? 0 : 1) + (isPage ? 0 : 1)
      if rank < ranks.homePage || (rank == ranks.homePage && meaning.vocabulary.isRSS) {
        details.homePageURL = url
        ranks.homePage = rank
      }
    case .selfLink: if details.feedURL == nil { details.feedURL = url }
    case .hub:
      if !details.hubs.contains(url), hasRoom(details.hubs.count, in: .hubs) { details.hubs.append(url) }
    case .license: addLicense(FeedDetails.License(url: url, name: value(.title, of: attributes) { $0.text }))
    case .page: if let name = relationName(of: attributes) { details.pages.set(url, name) }
    case .enclosure, .related, .image, .replies, .other: noteFeedLink(url, attributes)
    case .edit: break
    }
    return .skipped
  }

  /// Ends the text of a feed's field.
  mutating func finishFeedCapture() {
    let start = capture.start
    switch capture.field {
    case .feedTitle: plainText(from: start).map { (details.title, ranks.title) = ($0, capture.rank) }
    case .feedLink:
      resolveAddress(from: start)
      takeText(from: start).map { (details.homePageURL, ranks.homePage) = ($0, capture.rank) }
    case .feedDescription:
      if capture.kind != .text, let base = bases.last { resolveAddresses(from: start, base) }
      takeText(from: start).map { (details.description, ranks.description) = ($0, capture.rank) }
    case .feedIcon:
      resolveAddress(from: start, isPicture: true)
      takeText(from: start).map { (details.icon, ranks.icon) = ($0, capture.rank) }
      if frames.count > 1, frames[frames.count - 2].role == .image { setImage(\.url, details.icon) }
    case .feedLanguage: takeText(from: start).map { (details.language, ranks.language) = ($0, capture.rank) }
    case .feedRights: plainText(from: start).map { details.rights = $0 }
    case .feedGenerator: takeText(from: start).map { details.generator = $0 }
    case .feedPublished:
      guard let seconds = date(from: start) else { break }
      details.published = details.published ?? seconds
      if capture.rank < ranks.modified { (details.modified, ranks.modified) = (seconds, capture.rank) }
    case .feedText: finishDetail()
    case .feedModified: date(from: start).map { (details.modified, ranks.modified) = ($0, capture.rank) }
    default: finishSchedule()
    }
    batch.bytes.removeSubrange(min(start, batch.bytes.count)...)
  }

  /// Ends a text of the feed's schedule.
  private mutating func finishSchedule() {
    guard let text = takeText(from: capture.start) else { return }
    switch capture.field {
    case .timeToLive: details.timeToLiveMinutes = Int(text).flatMap { $0 >= 0 ? $0 : nil }
    case .skipHour:
      // 24 is midnight in the first drafts.
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

  /// Returns the English name of a day by its first three letters.
  private static func weekday(_ text: String) -> String? {
    let days = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
    let start = text.prefix(3).lowercased()
    return days.first { $0.prefix(3).lowercased() == start }
  }

  /// Returns the text of the capture as plain text, and removes it.
  mutating func plainText(from start: Int) -> String? {
    makePlainText(from: start)
    return takeText(from: start)
  }

  /// Returns the date in the text from `start` on, and removes the text.
  mutating func date(from start: Int) -> Int64? {
    let seconds = DateParser.seconds(batch.bytes.span.extracting(start...))
    batch.bytes.removeSubrange(start...)
    return seconds
  }
}
