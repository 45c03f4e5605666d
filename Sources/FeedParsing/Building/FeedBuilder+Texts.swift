internal import Markup

/// The ends of texts.
extension FeedBuilder {
  mutating func finishCapture() {
    if !capture.finish(&texts) { feed.details.shortenedTextCount += 1 }
    let start = capture.start
    switch capture.field {
    case .title:
      makePlainText()
      item.fields.title.set(texts.trimmedSlice(from: start), rank: capture.rank)
    case .content: item.fields.content.set(takeBody(), rank: capture.rank)
    case .description: item.fields.description.set(takeBody(), rank: capture.rank)
    case .published: item.fields.published.set(texts.takeDate(from: start), rank: capture.rank, isLast: true)
    case .modified: item.fields.modified.set(texts.takeDate(from: start), rank: capture.rank, isLast: true)
    case .link: item.takeLink(capture, &texts)
    case .id: item.takeID(capture, &texts)
    case .category: item.takeTag(capture, &texts)
    case .keywords: item.takeKeywords(capture, &texts)
    case .language: item.fields.language.set(texts.trimmedSlice(from: start), rank: 0)
    case .imageURL: item.fields.image.set(texts.addressSlice(from: start), rank: capture.rank)
    case .extensionText: finishExtensionText()
    case .personText, .personName, .personEmail, .personURL: finishPersonText()
    case .feedTitle, .feedRights, .feedID, .feedCategory:
      makePlainText()
      feed.take(capture, &texts)
    default: feed.take(capture, &texts)
    }
  }

  private mutating func makePlainText() { capture.makePlainText(isAtom: root.isAtom, &texts) }

  private mutating func takeBody() -> ItemFields.Body? {
    let isPlain = (capture.kind == .text || capture.kind == .base64Text) && !capture.hasMarkup
    var isRelative = false
    if isPlain {
      // No address in plain text is a link.
    } else if root.isAtom || texts.hasStatedBase {
      texts.resolveAddressesInHTML(from: capture.start, against: texts.bases.last)
    } else {
      // RSS names no base. Its publishers write HTML for the item's page, and the page may be stated later.
      isRelative = texts.mayBeRelative(from: capture.start)
    }
    return texts.trimmedSlice(from: capture.start).map {
      ItemFields.Body(text: $0, isPlain: isPlain, isRelative: isRelative)
    }
  }

  /// Ends a member's text.
  private mutating func finishExtensionText() {
    let start = capture.start
    if capture.isAddress {
      texts.resolveAddress(from: start)
    } else if capture.kind != .plain {
      makePlainText()
    }
    guard let text = texts.trimmedSlice(from: start) else { return }
    if capture.extensionKind == .duration, item.fields.duration == nil {
      item.fields.duration = Quantity.seconds(texts.bytes.span.extracting(texts.range(text)))
    }
    item.note(capture.extensionKind, capture.isAddress ? .url : capture.extensionField, text)
    texts.checkItem()
  }

  // MARK: Persons

  private mutating func finishPersonText() {
    let start = capture.start
    guard capture.field == .personText else { return person.take(capture, &texts) }
    PlainText.make(&texts.bytes, from: start, .maybe)
    finishPersons(from: start)
  }

  /// Separates several persons in one text if that is safe.
  private mutating func finishPersons(from start: Int) {
    guard let all = texts.trimmedSlice(from: start) else { return finishPerson() }
    let range = texts.range(all)
    guard let separator = PersonText.separator(texts.bytes.span.extracting(range)) else {
      person.split(range, &texts)
      return finishPerson()
    }
    let (purpose, rank) = (person.purpose, person.rank)
    var next = 0
    while next < range.count {
      let end = PersonText.end(of: texts.bytes.span.extracting(range), from: next, separator)
      person = PersonInProgress(purpose: purpose, rank: rank, start: texts.bytes.count)
      person.split((range.lowerBound + next)..<(range.lowerBound + end), &texts)
      finishPerson()
      next = end + 1
    }
    if !texts.isInItem { texts.removeTexts(from: start) }
  }

  /// Ends a person, and adds it to the item or the feed.
  mutating func finishPerson() {
    defer { person = PersonInProgress() }
    guard person.name != nil || person.email != nil || person.url != nil else { return }
    if texts.isInItem { return item.add(person, &texts) }
    let author = person.author(texts)
    texts.removeTexts(from: person.start)
    feed.add(author, rank: person.rank, &texts)
  }
}
