internal import Markup

/// The texts of a feed that fill details.
enum FeedText: UInt8 {
  case id, docs, publisher, updateBase, category, keywords, license
  case imageTitle, imageLink, imageWidth, imageHeight, imageDescription
  case inputTitle, inputDescription, inputName, inputLink, rating
  case explicit, type, block, complete, newFeedURL, guid, medium, locked
  case funding, person, place, text, trailer
}

/// The members that modules add to the feed.
extension FeedBuilder {
  private static let iTunesScheme = "http://www.itunes.com/"

  mutating func startDetail(_ detail: FeedText, _ kind: Capture.Kind = .plain) -> Role {
    let role = startCapture(.feedText, kind)
    capture.detail = detail
    return role
  }

  mutating func startFeedCategory(_ meaning: ElementName, _ attributes: XMLAttributes) -> Role {
    guard hasRoom(details.categories.count, in: .categories) else { return .skipped }
    let label = entry(.label, of: attributes)
    let scheme = entry(.scheme, of: attributes) ?? entry(.domain, of: attributes)
    if let term = entry(.term, of: attributes) ?? (meaning.vocabulary == .media ? nil : label) {
      addCategory(FeedDetails.Category(term: term, scheme: scheme, label: label))
      return .skipped
    }
    capturedCategory = FeedDetails.Category(term: "", scheme: scheme, label: label)
    return startDetail(.category)
  }

  /// Begins an `itunes:category`, also inside another one.
  mutating func startFeedCategories(_ meaning: ElementName, _ attributes: XMLAttributes) -> Role {
    guard meaning.local == .category else { return .skipped }
    let isInner = frames.count > 1 && frames[frames.count - 2].role == .categories
    let outer = isInner ? details.categories.last { $0.scheme == Self.iTunesScheme && $0.parent == nil } : nil
    if let term = entry(.text, of: attributes) {
      addCategory(FeedDetails.Category(term: term, scheme: Self.iTunesScheme, parent: outer?.term))
    }
    return .categories
  }

  private mutating func addCategory(_ category: FeedDetails.Category) {
    guard !details.categories.contains(category), hasRoom(details.categories.count, in: .categories) else {
      return
    }
    details.categories.append(category)
  }

  mutating func takeCloud(_ attributes: XMLAttributes) -> Role {
    guard details.cloud == nil, attributes.count > 0 else { return .skipped }
    details.cloud = FeedDetails.Cloud(
      domain: entry(.domain, of: attributes), port: Quantity.whole(entry(.port, of: attributes)),
      path: entry(.path, of: attributes), registerProcedure: entry(.registerProcedure, of: attributes),
      protocol: entry(.protocol, of: attributes))
    return .skipped
  }

  mutating func startLicense(_ attributes: XMLAttributes) -> Role {
    if let url = resource(attributes) ?? address(.url, of: attributes) {
      addLicense(FeedDetails.License(url: url))
    }
    return startDetail(.license)
  }

  mutating func addLicense(_ license: FeedDetails.License) {
    guard license.url?.utf8.count ?? 0 <= Self.longestEntry, !details.licenses.contains(license),
      hasRoom(details.licenses.count, in: .licenses)
    else { return }
    details.licenses.append(license)
  }

  /// Sets a part of the image; the first value wins.
  mutating func setImage<Value>(_ part: WritableKeyPath<FeedDetails.Image, Value?>, _ value: Value?) {
    guard let value else { return }
    var image = details.image ?? FeedDetails.Image()
    if image[keyPath: part] == nil { image[keyPath: part] = value }
    details.image = image
  }

  /// Sets a part of the text input; the first value wins.
  private mutating func setTextInput(
    _ part: WritableKeyPath<FeedDetails.TextInput, String?>, _ value: String
  ) {
    var input = details.textInput ?? FeedDetails.TextInput()
    if input[keyPath: part] == nil { input[keyPath: part] = value }
    details.textInput = input
  }

  // MARK: Attributes

  /// Returns an attribute that becomes an entry of a list; nil if it is too long.
  mutating func entry(_ local: LocalName, of attributes: XMLAttributes) -> String? {
    value(local, of: attributes) { $0.count <= Self.longestEntry ? $0.text : nil }
  }

  /// Returns an attribute as ``entry(_:of:)``, as a resolved address.
  mutating func entryAddress(_ local: LocalName, of attributes: XMLAttributes) -> String? {
    address(local, of: attributes).flatMap { $0.utf8.count <= Self.longestEntry ? $0 : nil }
  }

  /// Returns the address of `rdf:resource`.
  mutating func resource(_ attributes: XMLAttributes) -> String? {
    for index in 0..<attributes.count {
      guard let name = attributes.name(at: index), names.meaning(of: name).local == .resource else {
        continue
      }
      let start = batch.bytes.count
      attributes.appendValue(at: index, to: &batch.bytes)
      resolveAddress(from: start)
      return takeText(from: start)
    }
    return nil
  }

  // MARK: Texts

  /// Ends the text of a module.
  mutating func finishDetail() {
    let start = capture.start
    switch capture.detail {
    case .imageLink, .inputLink, .newFeedURL, .docs: resolveAddress(from: start)
    case .updateBase: details.updateBase = date(from: start) ?? details.updateBase
    default: break
    }
    let said = plainText(from: start)
    if capture.detail.rawValue >= FeedText.funding.rawValue { return finishPodcastEntry(said) }
    guard let text = said else { return }
    switch capture.detail {
    case .id: details.id = details.id ?? text
    case .docs: details.docs = text
    case .publisher: details.publisher = details.publisher ?? text
    case .updateBase: break
    case .imageTitle: setImage(\.title, text)
    case .imageLink: setImage(\.link, text)
    case .imageWidth: setImage(\.width, Quantity.whole(text))
    case .imageHeight: setImage(\.height, Quantity.whole(text))
    case .imageDescription: setImage(\.description, text)
    case .inputTitle: setTextInput(\.title, text)
    case .inputDescription: setTextInput(\.description, text)
    case .inputName: setTextInput(\.name, text)
    case .inputLink: setTextInput(\.link, text)
    case .rating: details.rating = details.rating ?? text
    case .category, .keywords, .license: finishEntries(text)
    case .explicit, .type, .block, .complete, .newFeedURL, .guid, .medium, .locked:
      finishPodcast(text)
    case .funding, .person, .place, .text, .trailer: break
    }
  }

  private mutating func finishEntries(_ text: String) {
    guard text.utf8.count <= Self.longestEntry else { return }
    switch capture.detail {
    case .category:
      capturedCategory.term = text
      addCategory(capturedCategory)
    case .keywords:
      for word in text.split(separator: ",") {
        let keyword = String(
          word.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
        let isNew = !keyword.isEmpty && !details.keywords.contains(keyword)
        if isNew, hasRoom(details.keywords.count, in: .keywords) { details.keywords.append(keyword) }
      }
    default:
      if text.contains("://") {
        addLicense(FeedDetails.License(url: text))
      } else if let last = details.licenses.indices.last, details.licenses[last].name == nil {
        details.licenses[last].name = text
      } else {
        addLicense(FeedDetails.License(name: text))
      }
    }
  }

  private mutating func finishPodcast(_ text: String) {
    switch capture.detail {
    case .explicit: details.podcast.isExplicit = Quantity.flag(text)
    case .type: details.podcast.type = text.lowercased()
    case .block: details.podcast.isBlocked = Quantity.flag(text)
    case .complete: details.podcast.isComplete = Quantity.flag(text)
    case .newFeedURL: details.podcast.newFeedURL = text
    case .guid: details.podcast.guid = text
    case .medium: details.podcast.medium = text
    case .locked: details.podcast.isLocked = Quantity.flag(text)
    default: break
    }
  }
}
