internal import Markup

/// The podcast namespace in the feed.
extension FeedBuilder {
  // MARK: The feed

  mutating func startFunding(_ attributes: XMLAttributes) -> Role {
    guard let url = entryAddress(.url, of: attributes),
      hasRoom(details.podcast.funding.count, in: .funding)
    else { return .skipped }
    details.podcast.funding.append(FeedDetails.Podcast.Funding(url: url))
    return startDetail(.funding, .html)
  }

  mutating func startFeedPerson(_ attributes: XMLAttributes) -> Role {
    guard hasRoom(details.podcast.persons.count, in: .persons) else { return .skipped }
    details.podcast.persons.append(
      PodcastPerson(
        name: "", role: entry(.role, of: attributes), group: entry(.group, of: attributes),
        url: entryAddress(.href, of: attributes), image: entryAddress(.img, of: attributes)))
    return startDetail(.person, .html)
  }

  mutating func startTrailer(_ attributes: XMLAttributes) -> Role {
    guard let url = entryAddress(.url, of: attributes),
      hasRoom(details.podcast.trailers.count, in: .trailers)
    else { return .skipped }
    var trailer = FeedDetails.Podcast.Trailer(url: url)
    trailer.published = value(.pubDate, of: attributes) { DateParser.seconds($0) }
    trailer.type = entry(.type, of: attributes)
    trailer.size = value(.length, of: attributes) { Quantity.whole($0) }
    trailer.season = Quantity.decimal(entry(.season, of: attributes))
    details.podcast.trailers.append(trailer)
    return startDetail(.trailer, .html)
  }

  mutating func startFeedPlace(_ attributes: XMLAttributes) -> Role {
    guard hasRoom(details.podcast.places.count, in: .places) else { return .skipped }
    capturedPlace = PodcastPlace(
      geo: entry(.geo, of: attributes), osm: entry(.osm, of: attributes),
      country: entry(.country, of: attributes), relation: entry(.rel, of: attributes))
    return startDetail(.place, .html)
  }

  mutating func startFeedText(_ attributes: XMLAttributes) -> Role {
    guard hasRoom(details.podcast.texts.count, in: .texts) else { return .skipped }
    capturedPurpose = entry(.purpose, of: attributes)
    return startDetail(.text)
  }

  mutating func startFeedValue(_ attributes: XMLAttributes) -> Role {
    guard hasRoom(details.podcast.values.count, in: .values) else { return .skipped }
    var value = PodcastValue()
    value.type = entry(.type, of: attributes)
    value.method = entry(.method, of: attributes)
    value.suggested = entry(.suggested, of: attributes)
    details.podcast.values.append(value)
    return .holder
  }

  /// Begins an element inside the feed's `podcast:value`.
  mutating func startInFeedValue(_ meaning: ElementName, _ attributes: XMLAttributes) -> Role {
    guard meaning == ElementName(.podcast, .valueRecipient), let last = details.podcast.values.indices.last,
      hasRoom(details.podcast.values[last].recipients.count, in: .recipients)
    else { return .skipped }
    var recipient = PodcastValue.Recipient()
    recipient.name = entry(.name, of: attributes)
    recipient.type = entry(.type, of: attributes)
    recipient.address = entry(.address, of: attributes)
    recipient.split = Quantity.whole(entry(.split, of: attributes))
    recipient.isFee = Quantity.flag(entry(.fee, of: attributes))
    recipient.customKey = entry(.customKey, of: attributes)
    recipient.customValue = entry(.customValue, of: attributes)
    details.podcast.values[last].recipients.append(recipient)
    return .skipped
  }

  /// Ends the text of an element that is an entry of a list of the feed.
  mutating func finishPodcastEntry(_ text: String?) {
    let text = text.flatMap { $0.utf8.count <= Self.longestEntry ? $0 : nil }
    switch capture.detail {
    case .place:
      capturedPlace.name = text
      if capturedPlace != PodcastPlace() { details.podcast.places.append(capturedPlace) }
    case .text:
      if let text { details.podcast.texts.append(PodcastText(purpose: capturedPurpose, text: text)) }
    case .funding:
      if let text, let last = details.podcast.funding.indices.last {
        details.podcast.funding[last].text = text
      }
    case .person:
      if let text, let last = details.podcast.persons.indices.last {
        details.podcast.persons[last].name = text
      }
    default:
      if let text, let last = details.podcast.trailers.indices.last {
        details.podcast.trailers[last].title = text
      }
    }
  }
}
