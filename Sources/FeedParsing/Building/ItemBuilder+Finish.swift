internal import Markup

/// The end of an item.
extension ItemBuilder {
  /// Adds the item to a batch.
  ///
  /// - Parameter home: The address of the feed's page, if the document has stated it.
  mutating func finish(into batch: inout ParsedItemBatch, home: String?, _ texts: inout TextBuffer) {
    if fields.hasContentFile { addContentFile(&texts) }
    if !extensions.isEmpty, !attachments.isEmpty { setDurations(&texts) }
    let base = texts.itemStart
    func moved(_ slice: ByteSlice?) -> ByteSlice? { slice?.moved(by: base) }
    var result = ParsedItem()
    result.id = moved(fields.id.value)
    result.idIsPermaLink = fields.idIsPermaLink
    result.url = moved(fields.url.value)
    result.externalURL = moved(fields.externalURL)
    result.title = moved(fields.title.value)
    resolveAddresses(home: home, &texts)
    let body = fields.content.value ?? fields.description.value
    result.content = moved(body?.text)
    result.contentIsPlainText = body?.isPlain ?? false
    if fields.content.value != nil, let summary = fields.description.value {
      result.summary = moved(summary.text)
      result.summaryIsPlainText = summary.isPlain
    }
    result.image = moved(fields.image.value)
    result.language = moved(fields.language.value)
    result.published = fields.published.value
    result.publishedIsAnyDate = fields.published.rank == ItemFields.anyDate
    result.modified = fields.modified.value
    result.authors = Self.move(&authors, to: &batch.authors) { author in author.map(moved) }
    result.tags = Self.move(&tags, to: &batch.tags) { $0.moved(by: base) }
    result.attachments = Self.move(&attachments, to: &batch.attachments) { file in
      file.map { $0.moved(by: base) }
    }
    result.extensions = Self.move(&extensions, to: &batch.extensions) { part in
      ParsedExtension(
        kind: part.kind, field: part.field, element: part.element, value: part.value.moved(by: base))
    }
    batch.items.append(result)
  }

  /// Resolves the relative addresses in the texts: against the item's page, else the feed's page, else the
  /// document.
  private mutating func resolveAddresses(home: String?, _ texts: inout TextBuffer) {
    guard fields.content.value?.isRelative == true || fields.description.value?.isRelative == true else {
      return
    }
    let page = fields.url.value.flatMap { URLBase(texts.bytes[texts.range($0)]) }
    let base = page ?? home.flatMap { URLBase($0.utf8) } ?? texts.bases.last
    fields.content.update { $0.text = texts.resolvingAddresses(in: $0.text, against: base) }
    fields.description.update { $0.text = texts.resolvingAddresses(in: $0.text, against: base) }
  }

  private static func move<Element>(
    _ list: inout [Element], to all: inout [Element], _ change: (Element) -> Element
  ) -> ListSlice {
    guard !list.isEmpty else { return ListSlice() }
    let start = all.count
    for element in list { all.append(change(element)) }
    let count = list.count
    list.removeAll(keepingCapacity: true)
    return ListSlice(start: UInt32(truncatingIfNeeded: start), count: UInt32(truncatingIfNeeded: count))
  }

  /// Adds an attachment for content at another address, unless a link with `rel="enclosure"` did.
  private mutating func addContentFile(_ texts: inout TextBuffer) {
    func part(_ field: ParsedExtension.Field) -> ByteSlice? {
      extensions.first { $0.kind == .contentSource && $0.field == field }?.value
    }
    guard let url = part(.url) else { return }
    for file in attachments where texts.isSame(file.url, url) { return }
    addAttachment(url, type: part(.type), texts.limits)
  }

  /// Sets the attachment durations that modules state.
  ///
  /// `itunes:duration` applies to the first audio or video file, `media:content` to the file with the same
  /// address.
  private mutating func setDurations(_ texts: inout TextBuffer) {
    for index in attachments.indices where attachments[index].duration == nil {
      attachments[index].duration = mediaDuration(of: attachments[index].url, &texts).map(Double.init)
    }
    guard let seconds = fields.duration else { return }
    for index in attachments.indices where Self.isPlayed(attachments[index], &texts) {
      if attachments[index].duration == nil { attachments[index].duration = Double(seconds) }
      return
    }
  }

  private static func isPlayed(_ file: ParsedAttachment, _ texts: inout TextBuffer) -> Bool {
    guard let type = file.mimeType else { return true }
    let text = texts.bytes.span.extracting(texts.range(type))
    return text.hasPrefixIgnoringCase("audio/") || text.hasPrefixIgnoringCase("video/")
  }

  private func mediaDuration(of url: ByteSlice, _ texts: inout TextBuffer) -> Int64? {
    var found: UInt16?
    for part in extensions where part.kind == .media && part.field == .url && texts.isSame(part.value, url) {
      found = part.element
      break
    }
    guard let found else { return nil }
    for part in extensions where part.element == found && part.field == .duration {
      return Quantity.seconds(texts.bytes.span.extracting(texts.range(part.value)))
    }
    return nil
  }
}
