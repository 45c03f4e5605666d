extension ItemExtensions {
  /// Makes values of what a batch has of an item; nil when modules say nothing.
  public init?(of item: ParsedItem, in batch: ParsedItemBatch) {
    guard item.extensions.count > 0 else { return nil }
    let parts = batch.extensions[item.extensions.range]
    var reader = Reader()
    var start = parts.startIndex
    while start < parts.endIndex {
      let end = parts[start...].firstIndex { $0.element != parts[start].element } ?? parts.endIndex
      reader.take(Element(parts: parts[start..<end], batch: batch))
      start = end
    }
    reader.finish()
    if reader.result == ItemExtensions() { return nil }
    self = reader.result
  }

  /// The parts of one element.
  struct Element {
    let parts: ArraySlice<ParsedExtension>
    let batch: ParsedItemBatch

    subscript(field: ParsedExtension.Field) -> String? {
      batch.string(parts.first { $0.field == field }?.value)
    }

    func whole(_ field: ParsedExtension.Field) -> Int64? { Quantity.whole(self[field]) }

    func decimal(_ field: ParsedExtension.Field) -> Double? { Quantity.decimal(self[field]) }

    func flag(_ field: ParsedExtension.Field) -> Bool? { Quantity.flag(self[field]) }
  }

  /// Takes the elements of an item one after the other; where one value is wanted, the first counts.
  struct Reader {
    var result = ItemExtensions()
    var lowerCorner: [Location]?
    var latitude: Double?
    var longitude: Double?

    mutating func take(_ element: Element) {
      guard let kind = element.parts.first?.kind else { return }
      switch kind {
      case .duration, .season, .episode, .episodeType, .order, .explicit, .block: takeEpisode(kind, element)
      case .transcript, .chapters, .person, .soundbite: takePodcast(kind, element)
      case .alternateEnclosure, .alternateSource, .integrity, .socialInteraction, .podcastValue,
        .valueRecipient, .podcastText, .podcastPlace:
        takeExchange(kind, element)
      case .media, .thumbnail, .bannerImage, .credit, .rating, .player, .community, .mediaHash, .embed:
        takeMedia(kind, element)
      case .comments, .commentCount, .commentFeed, .commentPost, .replies, .inReplyTo, .section, .department,
        .hitParade:
        takeComments(kind, element)
      case .point, .latitude, .longitude: takePlace(kind, element)
      case .line, .polygon, .box, .circle, .positions, .lowerCorner, .upperCorner: takeShape(kind, element)
      case .link, .contentSource: takeLink(kind, element)
      case .category, .rights, .license, .source, .publisher, .contributor, .valid, .originalLink, .draft:
        takeOrigin(kind, element)
      }
    }

    private mutating func takeEpisode(_ kind: ParsedExtension.Kind, _ element: Element) {
      let text = element[.text]
      switch kind {
      case .duration: result.duration = result.duration ?? Quantity.seconds(text)
      case .season:
        result.season = result.season ?? Quantity.decimal(text)
        result.seasonName = result.seasonName ?? element[.name]
      case .episode:
        result.episode = result.episode ?? Quantity.decimal(text)
        result.episodeName = result.episodeName ?? element[.name]
      case .order: result.order = result.order ?? Quantity.whole(text)
      case .episodeType: result.episodeType = result.episodeType ?? text?.lowercased()
      case .explicit: result.isExplicit = result.isExplicit ?? Quantity.flag(text)
      default: result.isBlocked = result.isBlocked ?? Quantity.flag(text)
      }
    }

    private mutating func takePodcast(_ kind: ParsedExtension.Kind, _ element: Element) {
      switch kind {
      case .person:
        let person = PodcastPerson(
          name: element[.text] ?? "", role: element[.role], group: element[.group], url: element[.url],
          image: element[.image])
        result.persons.append(person)
      case .soundbite:
        guard let start = Quantity.decimal(element[.start]), let time = Quantity.decimal(element[.duration])
        else { return }
        result.soundbites.append(Soundbite(start: start, duration: time, title: element[.text]))
      default:
        guard let url = element[.url] else { return }
        let file = Transcript(
          url: url, type: element[.type], language: element[.language], relation: element[.relation])
        if kind == .transcript {
          result.transcripts.append(file)
        } else {
          result.chapters = result.chapters ?? file
        }
      }
    }

    private mutating func takeComments(_ kind: ParsedExtension.Kind, _ element: Element) {
      switch kind {
      case .comments: result.commentsURL = element[.url] ?? result.commentsURL
      case .commentCount: result.commentCount = result.commentCount ?? element.whole(.text)
      case .commentFeed: result.commentFeedURL = element[.url] ?? result.commentFeedURL
      case .commentPost: result.commentPostURL = result.commentPostURL ?? element[.url]
      case .replies:
        takeLink(.link, element)
        result.commentCount = result.commentCount ?? element.whole(.count)
        if element[.type]?.lowercased().contains("html") == true {
          result.commentsURL = result.commentsURL ?? element[.url]
        } else {
          result.commentFeedURL = result.commentFeedURL ?? element[.url]
        }
      case .section: result.section = result.section ?? element[.text]
      case .department: result.department = result.department ?? element[.text]
      case .hitParade: result.hitParade = result.hitParade ?? element[.text]
      default:
        result.inReplyTo.append(
          Reference(id: element[.id], url: element[.url], type: element[.type], source: element[.source]))
      }
    }

    private mutating func takePlace(_ kind: ParsedExtension.Kind, _ element: Element) {
      switch kind {
      case .latitude: latitude = latitude ?? Quantity.decimal(element[.text])
      case .longitude: longitude = longitude ?? Quantity.decimal(element[.text])
      default:
        let numbers = element[.text]?.split { $0.isWhitespace || $0 == "," || $0 == ";" } ?? []
        guard numbers.count >= 2 else { return }
        setPlace(Quantity.decimal(String(numbers[0])), Quantity.decimal(String(numbers[1])))
      }
      setPlace(latitude, longitude)
    }

    private mutating func setPlace(_ latitude: Double?, _ longitude: Double?) {
      result.location = result.location ?? Location(latitude, longitude)
    }

    private mutating func takeOrigin(_ kind: ParsedExtension.Kind, _ element: Element) {
      let text = element[.text]
      switch kind {
      case .category:
        guard let term = text ?? element[.label] else { return }
        result.categories.append(
          FeedDetails.Category(term: term, scheme: element[.scheme], label: element[.label]))
      case .rights: result.rights = result.rights ?? text
      case .license: takeLicense(element)
      case .source:
        guard result.source == nil else { return }
        result.source = Source(id: element[.id], title: element[.title] ?? text, url: element[.url])
      case .publisher: result.publisher = result.publisher ?? text
      case .contributor:
        result.contributors.append(
          FeedDetails.Author(name: element[.name], email: element[.email], url: element[.url]))
      case .valid: result.valid = result.valid ?? text
      case .originalLink: result.originalURL = result.originalURL ?? element[.url]
      default: result.isDraft = result.isDraft ?? Quantity.flag(text)
      }
    }

    private mutating func takeLicense(_ element: Element) {
      let text = element[.text] ?? element[.title]
      let isAddress = element[.url] == nil && text?.contains("://") == true
      let license = FeedDetails.License(url: isAddress ? text : element[.url], name: isAddress ? nil : text)
      if !result.licenses.contains(license) { result.licenses.append(license) }
    }
  }
}
