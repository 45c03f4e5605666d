internal import Markup

/// What stands in `channel` and `feed`, outside of items.
extension FeedBuilder {
  mutating func startInFeed(_ meaning: ElementName, _ attributes: XMLAttributes) -> Role {
    // All of this is read again.
    if needsRepair { return .skipped }
    if isBehindFeed { return startInSecondFeed(meaning, attributes) }
    return switch meaning.vocabulary {
    case .rss, .rss10, .rss090, .atom, .atom03: startFeedCore(meaning, attributes)
    case .dublinCore, .dublinCoreTerms: startFeedDublinCore(meaning, attributes)
    case .iTunes: startFeedITunes(meaning, attributes)
    case .syndication: startSyndication(meaning)
    case .podcast, .history, .license, .admin, .media: startFeedModule(meaning, attributes)
    case .content, .rdf, .xhtml, .xml, .slash, .wfw, .thread, .app, .geoRSS, .geo, .burner, .other: .skipped
    }
  }

  /// Of a feed behind another one only the items count.
  private mutating func startInSecondFeed(_ meaning: ElementName, _ attributes: XMLAttributes) -> Role {
    guard meaning.vocabulary.isCore else { return .skipped }
    switch meaning.local {
    case .item, .entry: return beginItem(meaning, attributes)
    case .items, .channel: return .feed
    default: return .skipped
    }
  }

  private mutating func startFeedCore(_ meaning: ElementName, _ attributes: XMLAttributes) -> Role {
    let plain: Capture.Kind = meaning.vocabulary.isAtom ? .text : .html
    switch meaning.local {
    case .item, .entry: return beginItem(meaning, attributes)
    case .items, .channel: return .feed
    case .title:
      return startFeedTitle(kind(of: attributes, otherwise: plain), rank: meaning.vocabulary.isAtom ? 1 : 0)
    case .link: return startFeedLink(meaning, attributes)
    case .description, .subtitle, .tagline:
      return startFeedDescription(kind(of: attributes, otherwise: plain), rank: 0)
    case .image: return meaning.vocabulary.isRSS ? .image : .skipped
    case .logo: return startIcon(rank: 0)
    case .icon: return startIcon(rank: 1)
    case .language: return startFeedLanguage(rank: 0)
    case .managingEditor, .author: return startPerson(rank: 0)
    case .copyright, .rights: return startCapture(.feedRights, kind(of: attributes, otherwise: plain))
    case .generator:
      details.generatorURL = address(.uri, of: attributes) ?? address(.url, of: attributes)
      details.generatorVersion = value(.version, of: attributes) { $0.text }
      return startCapture(.feedGenerator, .plain)
    case .pubDate, .published, .issued: return startCapture(.feedPublished, .plain, rank: 2)
    case .lastBuildDate, .updated, .modified: return startFeedDate(rank: 0)
    case .ttl: return startCapture(.timeToLive, .plain)
    case .skipHours: return .skipHours
    case .skipDays: return .skipDays
    case .id: return startDetail(.id)
    case .docs: return startDetail(.docs)
    case .webMaster: return startPerson(as: .webMaster)
    case .contributor: return startPerson(as: .contributor)
    case .category: return startFeedCategory(meaning, attributes)
    case .cloud: return takeCloud(attributes)
    case .textinput: return meaning.vocabulary.isRSS ? .textInput : .skipped
    case .rating: return startDetail(.rating)
    default: return .skipped
    }
  }

  private mutating func startFeedDublinCore(_ meaning: ElementName, _ attributes: XMLAttributes) -> Role {
    switch meaning.local {
    case .title: startFeedTitle(.html, rank: 2)
    case .description: startFeedDescription(.html, rank: 1)
    case .language: startFeedLanguage(rank: 1)
    case .creator, .author: startPerson(rank: 1)
    case .rights: details.rights == nil ? startCapture(.feedRights, .html) : .skipped
    case .date, .modified, .issued: startFeedDate(rank: 1)
    case .publisher: startDetail(.publisher, .html)
    case .contributor: startPerson(as: .contributor)
    case .license: startLicense(attributes)
    case .subject: startFeedCategory(meaning, attributes)
    default: .skipped
    }
  }

  private mutating func startFeedITunes(_ meaning: ElementName, _ attributes: XMLAttributes) -> Role {
    switch meaning.local {
    case .author: return startPerson(rank: 2)
    case .owner: return startPerson(as: .owner)
    case .subtitle: return startFeedDescription(.html, rank: 2)
    case .summary, .description: return startFeedDescription(.html, rank: 3)
    case .image:
      if ranks.icon > 3, let icon = address(.href, of: attributes) {
        details.icon = icon
        ranks.icon = 3
      }
      return .skipped
    case .link:
      if relation(of: attributes) == .image, ranks.icon > 3, let icon = address(.href, of: attributes) {
        details.icon = icon
        ranks.icon = 3
      }
      return .skipped
    default: return startFeedPodcast(meaning, attributes)
    }
  }

  private mutating func startSyndication(_ meaning: ElementName) -> Role {
    switch meaning.local {
    case .updatePeriod: startCapture(.updatePeriod, .plain)
    case .updateFrequency: startCapture(.updateFrequency, .plain)
    case .updateBase: startDetail(.updateBase)
    default: .skipped
    }
  }

  mutating func startInImage(_ meaning: ElementName) -> Role {
    guard meaning.vocabulary.isCore else { return .skipped }
    switch meaning.local {
    case .url: return startIcon(rank: 0)
    case .title: return startDetail(.imageTitle, .html)
    case .link: return startDetail(.imageLink)
    case .width: return startDetail(.imageWidth)
    case .height: return startDetail(.imageHeight)
    case .description: return startDetail(.imageDescription, .html)
    default: return .skipped
    }
  }

  mutating func startInTextInput(_ meaning: ElementName) -> Role {
    guard meaning.vocabulary.isCore else { return .skipped }
    switch meaning.local {
    case .title: return startDetail(.inputTitle, .html)
    case .description: return startDetail(.inputDescription, .html)
    case .name: return startDetail(.inputName)
    case .link: return startDetail(.inputLink)
    default: return .skipped
    }
  }

  // MARK: Fields

  private mutating func startFeedTitle(_ kind: Capture.Kind, rank: UInt8) -> Role {
    rank < ranks.title ? startCapture(.feedTitle, kind, rank: rank) : .skipped
  }

  private mutating func startFeedDescription(_ kind: Capture.Kind, rank: UInt8) -> Role {
    rank < ranks.description ? startCapture(.feedDescription, kind, rank: rank) : .skipped
  }

  private mutating func startFeedLanguage(rank: UInt8) -> Role {
    rank < ranks.language ? startCapture(.feedLanguage, .plain, rank: rank) : .skipped
  }

  private mutating func startIcon(rank: UInt8) -> Role {
    rank < ranks.icon ? startCapture(.feedIcon, .plain, rank: rank) : .skipped
  }

  private mutating func startFeedDate(rank: UInt8) -> Role {
    rank < ranks.modified ? startCapture(.feedModified, .plain, rank: rank) : .skipped
  }

  /// The value of an attribute as a resolved address.
  mutating func address(_ local: LocalName, of attributes: XMLAttributes) -> String? {
    let start = batch.bytes.count
    guard append(local, of: attributes) else { return nil }
    resolveAddress(from: start, isReference: true)
    return takeText(from: start)
  }

  private mutating func startFeedLink(_ meaning: ElementName, _ attributes: XMLAttributes) -> Role {
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

  /// Takes the text of a feed's field that has just ended.
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

  /// How often the feed wants to be read.
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

  /// The English name of a day, of which the first three letters count.
  private static func weekday(_ text: String) -> String? {
    let days = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
    let start = text.prefix(3).lowercased()
    return days.first { $0.prefix(3).lowercased() == start }
  }

  /// The text of the capture as plain text; nothing kept.
  mutating func plainText(from start: Int) -> String? {
    makePlainText(from: start)
    return takeText(from: start)
  }

  /// The date that the text from `start` on says; nothing kept.
  mutating func date(from start: Int) -> Int64? {
    let seconds = DateParser.seconds(batch.bytes.span.extracting(start...))
    batch.bytes.removeSubrange(start...)
    return seconds
  }
}
