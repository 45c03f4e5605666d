internal import Markup

/// The lists of a podcast.
extension DetailsBuilder {
  /// Takes the attributes from an element that becomes a list entry; returns true if its text belongs to the
  /// entry.
  mutating func takeEntry(_ detail: FeedText, _ attributes: XMLAttributes, _ texts: inout TextBuffer) -> Bool
  {
    switch detail {
    case .funding:
      guard let url = texts.entryAddress(.url, of: attributes),
        hasRoom(details.podcast.funding.count, in: .funding, &texts)
      else { return false }
      details.podcast.funding.append(FeedDetails.Podcast.Funding(url: url))
    case .person:
      guard hasRoom(details.podcast.persons.count, in: .persons, &texts) else { return false }
      details.podcast.persons.append(
        PodcastPerson(
          name: "", role: texts.entry(.role, of: attributes), group: texts.entry(.group, of: attributes),
          url: texts.entryAddress(.href, of: attributes), image: texts.entryAddress(.img, of: attributes)))
    case .trailer:
      guard let url = texts.entryAddress(.url, of: attributes),
        hasRoom(details.podcast.trailers.count, in: .trailers, &texts)
      else { return false }
      var trailer = FeedDetails.Podcast.Trailer(url: url)
      trailer.published = texts.value(.pubDate, of: attributes) { DateParser.seconds($0) }
      trailer.type = texts.entry(.type, of: attributes)
      trailer.size = texts.value(.length, of: attributes) { Quantity.whole($0) }
      trailer.season = Quantity.decimal(texts.entry(.season, of: attributes))
      details.podcast.trailers.append(trailer)
    case .place:
      guard hasRoom(details.podcast.places.count, in: .places, &texts) else { return false }
      place = PodcastPlace(
        geo: texts.entry(.geo, of: attributes), osm: texts.entry(.osm, of: attributes),
        country: texts.entry(.country, of: attributes), relation: texts.entry(.rel, of: attributes))
    default:
      guard hasRoom(details.podcast.texts.count, in: .texts, &texts) else { return false }
      purpose = texts.entry(.purpose, of: attributes)
    }
    return true
  }

  /// Takes the text from an element that is a list entry.
  mutating func takeEntryText(_ detail: FeedText, _ text: String?) {
    let text = text.flatMap { $0.utf8.count <= TextBuffer.longestEntry ? $0 : nil }
    if detail == .place {
      place.name = text
      if place != PodcastPlace() { details.podcast.places.append(place) }
    }
    guard let text else { return }
    switch detail {
    case .text: details.podcast.texts.append(PodcastText(purpose: purpose, text: text))
    case .funding:
      if let last = details.podcast.funding.indices.last { details.podcast.funding[last].text = text }
    case .person:
      if let last = details.podcast.persons.indices.last { details.podcast.persons[last].name = text }
    case .trailer:
      if let last = details.podcast.trailers.indices.last { details.podcast.trailers[last].title = text }
    default: break
    }
  }

  /// Takes the attributes of `podcast:value`; returns false if the list is full.
  mutating func takeValue(_ attributes: XMLAttributes, _ texts: inout TextBuffer) -> Bool {
    guard hasRoom(details.podcast.values.count, in: .values, &texts) else { return false }
    var value = PodcastValue()
    value.type = texts.entry(.type, of: attributes)
    value.method = texts.entry(.method, of: attributes)
    value.suggested = texts.entry(.suggested, of: attributes)
    details.podcast.values.append(value)
    return true
  }

  /// Takes a recipient for the `podcast:value` that began last.
  mutating func takeRecipient(_ attributes: XMLAttributes, _ texts: inout TextBuffer) {
    guard let last = details.podcast.values.indices.last,
      hasRoom(details.podcast.values[last].recipients.count, in: .recipients, &texts)
    else { return }
    var recipient = PodcastValue.Recipient()
    recipient.name = texts.entry(.name, of: attributes)
    recipient.type = texts.entry(.type, of: attributes)
    recipient.address = texts.entry(.address, of: attributes)
    recipient.split = Quantity.whole(texts.entry(.split, of: attributes))
    recipient.isFee = Quantity.flag(texts.entry(.fee, of: attributes))
    recipient.customKey = texts.entry(.customKey, of: attributes)
    recipient.customValue = texts.entry(.customValue, of: attributes)
    details.podcast.values[last].recipients.append(recipient)
  }
}
