internal import Markup

/// The members that modules add to an item.
extension FeedBuilder {
  /// An element of a module inside another element of a module.
  mutating func startModule(_ meaning: ElementName, _ attributes: XMLAttributes) -> Role {
    switch meaning.vocabulary {
    case .podcast, .slash, .wfw, .thread, .geoRSS, .geo, .license, .burner, .app:
      apply(rule(.item, meaning), meaning, attributes)
    default: .skipped
    }
  }

  /// Begins an element whose attributes are stored, and whose text is collected unless `text` is nil.
  mutating func startExtension(
    _ kind: ParsedExtension.Kind, _ text: Capture.Kind?, _ attributes: XMLAttributes, isAddress: Bool = false
  ) -> Role {
    guard beginExtension() else { return .skipped }
    takeFields(of: kind, attributes)
    guard let text, isInItem else { return .skipped }
    let role = startCapture(.extensionText, text)
    capture.extensionKind = kind
    capture.isAddress = isAddress
    return role
  }

  /// Begins another element; false if the item has the maximum number of them.
  mutating func beginExtension() -> Bool {
    guard hasRoom(Int(item.elementCount), in: .extensions), item.elementCount < .max else { return false }
    item.elementCount += 1
    return true
  }

  /// Stores a part of the element that was begun last.
  mutating func note(_ kind: ParsedExtension.Kind, _ field: ParsedExtension.Field, _ value: ByteSlice?) {
    guard let value else { return }
    pendingExtensions.append(
      ParsedExtension(kind: kind, field: field, element: item.elementCount, value: value))
  }

  /// Stores the attributes that have a meaning.
  private mutating func takeFields(of kind: ParsedExtension.Kind, _ attributes: XMLAttributes) {
    for index in 0..<attributes.count {
      guard let name = attributes.name(at: index) else { continue }
      let meaning = names.meaning(of: name)
      guard meaning.vocabulary != .xml, let field = ParsedExtension.Field(attribute: meaning.local) else {
        continue
      }
      let start = batch.bytes.count
      attributes.appendValue(at: index, to: &batch.bytes)
      if field.isAddress { resolveAddress(from: start) }
      note(kind, field, trimmedSlice(from: start))
    }
    checkItem()
  }

  /// Ends the text of a module's element.
  mutating func finishExtensionText() {
    let start = capture.start
    if capture.isAddress {
      resolveAddress(from: start)
    } else if capture.kind != .plain {
      makePlainText(from: start)
    }
    guard let text = trimmedSlice(from: start) else { return }
    if capture.extensionKind == .duration, item.duration == nil {
      item.duration = Quantity.seconds(batch.bytes.span.extracting(text.moved(by: itemStart).range))
    }
    note(capture.extensionKind, capture.isAddress ? .url : capture.extensionField, text)
    checkItem()
  }

  // MARK: Other parts of items

  /// Begins an element inside Atom's `source`: the item's author if it has none itself, and its origin.
  mutating func startInSource(_ meaning: ElementName, _ attributes: XMLAttributes) -> Role {
    guard meaning.vocabulary.isCore, isInItem else { return .skipped }
    switch meaning.local {
    case .author, .title, .id, .link: isSourceEmpty = false
    default: break
    }
    switch meaning.local {
    case .author: return meaning.vocabulary.isAtom ? startPerson(rank: 5) : .skipped
    case .title: return startSourceText(.title, kind(of: attributes, otherwise: .text))
    case .id: return startSourceText(.id, .plain)
    case .link:
      let start = batch.bytes.count
      guard relation(of: attributes) == .alternate, append(.href, of: attributes) else {
        return .skipped
      }
      resolveAddress(from: start)
      note(.source, .url, trimmedSlice(from: start))
      return .skipped
    default: return .skipped
    }
  }

  private mutating func startSourceText(_ field: ParsedExtension.Field, _ kind: Capture.Kind) -> Role {
    let role = startCapture(.extensionText, kind)
    capture.extensionKind = .source
    capture.extensionField = field
    return role
  }

  /// Stores a person who is not an author of the item.
  mutating func noteContributor() {
    guard beginExtension() else { return }
    note(.contributor, .name, person.name)
    note(.contributor, .email, person.email)
    note(.contributor, .url, person.url)
  }

  // MARK: Durations of files

  /// Sets the durations of attachments that modules state: `itunes:duration` is that of the first audio or video file,
  /// `media:content` that of the file with the same address.
  mutating func setDurations() {
    for index in pendingAttachments.indices where pendingAttachments[index].duration == nil {
      pendingAttachments[index].duration = mediaDuration(of: pendingAttachments[index].url)
        .map(Double.init)
    }
    guard let seconds = item.duration, let first = pendingAttachments.firstIndex(where: isPlayed) else {
      return
    }
    if pendingAttachments[first].duration == nil { pendingAttachments[first].duration = Double(seconds) }
  }

  private func isPlayed(_ file: ParsedAttachment) -> Bool {
    guard let type = file.mimeType else { return true }
    let text = batch.bytes.span.extracting(type.moved(by: itemStart).range)
    return text.hasPrefixIgnoringCase("audio/") || text.hasPrefixIgnoringCase("video/")
  }

  private func mediaDuration(of url: ByteSlice) -> Int64? {
    var found: UInt16?
    for part in pendingExtensions
    where part.kind == .media && part.field == .url && part.value.count == url.count {
      let text = batch.bytes.span.extracting(part.value.moved(by: itemStart).range)
      guard text.elementsEqual(batch.bytes.span.extracting(url.moved(by: itemStart).range)) else { continue }
      found = part.element
      break
    }
    guard let found else { return nil }
    for part in pendingExtensions where part.element == found && part.field == .duration {
      return Quantity.seconds(batch.bytes.span.extracting(part.value.moved(by: itemStart).range))
    }
    return nil
  }
}
