/// What the podcast namespace says in elements of several parts, and links.
extension ItemExtensions.Reader {
  mutating func takeExchange(_ kind: ParsedExtension.Kind, _ element: ItemExtensions.Element) {
    switch kind {
    case .alternateEnclosure: result.alternateEnclosures.append(Self.alternate(element))
    case .alternateSource:
      guard let last = result.alternateEnclosures.indices.last, let url = element[.url] else { return }
      result.alternateEnclosures[last].sources.append(.init(url: url, type: element[.type]))
    case .integrity:
      guard let last = result.alternateEnclosures.indices.last, let value = element[.value] else { return }
      result.alternateEnclosures[last].integrity = .init(type: element[.type], value: value)
    case .socialInteraction:
      result.socialInteractions.append(
        .init(
          url: element[.url], protocol: element[.protocol], accountID: element[.accountID],
          accountURL: element[.accountURL], priority: element.whole(.priority)))
    case .podcastValue:
      var value = PodcastValue()
      value.type = element[.type]
      value.method = element[.method]
      value.suggested = element[.suggested]
      result.values.append(value)
    case .valueRecipient:
      guard let last = result.values.indices.last else { return }
      result.values[last].recipients.append(Self.recipient(element))
    case .podcastText:
      guard let text = element[.text] else { return }
      result.texts.append(PodcastText(purpose: element[.purpose], text: text))
    default:
      result.places.append(
        PodcastPlace(
          name: element[.text], geo: element[.geo], osm: element[.osm], country: element[.country],
          relation: element[.relation]))
    }
  }

  private static func alternate(_ element: ItemExtensions.Element) -> ItemExtensions.AlternateEnclosure {
    var file = ItemExtensions.AlternateEnclosure()
    file.type = element[.type]
    file.size = element.whole(.size)
    file.bitrate = element.decimal(.bitrate)
    file.height = element.whole(.height)
    file.language = element[.language]
    file.title = element[.title]
    file.relation = element[.relation]
    file.codecs = element[.codecs]
    file.isDefault = element.flag(.isDefault)
    return file
  }

  private static func recipient(_ element: ItemExtensions.Element) -> PodcastValue.Recipient {
    var recipient = PodcastValue.Recipient()
    recipient.name = element[.name]
    recipient.type = element[.type]
    recipient.address = element[.address]
    recipient.split = element.whole(.split)
    recipient.isFee = element.flag(.fee)
    recipient.customKey = element[.customKey]
    recipient.customValue = element[.customValue]
    return recipient
  }

  mutating func takeLink(_ kind: ParsedExtension.Kind, _ element: ItemExtensions.Element) {
    guard let url = element[.url] else { return }
    let link = RelatedLink(
      url: url, relation: kind == .contentSource ? nil : element[.relation], type: element[.type],
      title: element[.title], language: element[.language], size: element.whole(.size))
    if kind == .contentSource {
      result.contentSource = result.contentSource ?? link
    } else if !result.links.contains(link) {
      result.links.append(link)
    }
  }
}
