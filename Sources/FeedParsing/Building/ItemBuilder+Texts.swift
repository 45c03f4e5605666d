internal import Markup

/// Texts for fields, and categories.
extension ItemBuilder {
  mutating func takeLink(_ capture: Capture, _ texts: inout TextBuffer) {
    let slice = texts.addressSlice(from: capture.start)
    if !capture.isEnclosure {
      fields.url.set(slice, rank: capture.rank, isLast: true)
    } else if let slice {
      addAttachment(slice, texts.limits)
    }
  }

  mutating func takeID(_ capture: Capture, _ texts: inout TextBuffer) {
    guard let slice = texts.trimmedSlice(from: capture.start) else { return }
    let isAddress = texts.bytes.span.extracting(texts.range(slice)).isWebAddress()
    let rank = max(1, capture.rank)
    if capture.isPermaLink ?? isAddress, fields.url.wants(rank), isAddress || !texts.bases.isEmpty {
      // The id stays as it is written; the address is a resolved copy.
      let copy = texts.bytes.count
      texts.bytes.append(contentsOf: Array(texts.bytes[texts.range(slice)]))
      fields.url.set(texts.addressSlice(from: copy), rank: rank)
    }
    fields.id.set(Self.shortened(slice, &texts), rank: capture.rank)
  }

  /// Returns an id, or its hash if it is too long.
  private static func shortened(_ slice: ByteSlice, _ texts: inout TextBuffer) -> ByteSlice? {
    guard slice.count > texts.limits.idBytes else { return slice }
    let hash = LongID.hash(of: texts.bytes.span.extracting(texts.range(slice)))
    let start = texts.bytes.count
    texts.bytes.append(contentsOf: hash)
    return texts.trimmedSlice(from: start)
  }

  // MARK: Categories

  /// Takes a category's attributes.
  ///
  /// - Returns: `isTag` is true if an attribute is the tag, `isQualified` if the category has a scheme or a
  ///   label.
  mutating func takeCategory(
    isMedia: Bool, _ attributes: XMLAttributes, _ texts: inout TextBuffer
  ) -> (isTag: Bool, isQualified: Bool) {
    let term = texts.slice(.term, of: attributes)
    let hasMore = attributes.count > 1 || term == nil
    let label = hasMore ? texts.slice(.label, of: attributes) : nil
    let scheme = hasMore ? texts.slice(.scheme, of: attributes) ?? texts.slice(.domain, of: attributes) : nil
    let isQualified = (label != nil || scheme != nil) && beginExtension(texts.limits)
    if isQualified {
      note(.category, .scheme, scheme)
      note(.category, .label, label)
      note(.category, .text, term)
    }
    // Media RSS has a label in addition to the text, Atom instead of it.
    guard let tag = term ?? (isMedia ? nil : label) else { return (false, isQualified) }
    addTag(tag, &texts)
    return (true, isQualified)
  }

  mutating func takeTag(_ capture: Capture, _ texts: inout TextBuffer) {
    PlainText.make(&texts.bytes, from: capture.start, .maybe)
    guard let tag = texts.trimmedSlice(from: capture.start) else { return }
    if capture.isQualified { note(.category, .text, tag) }
    addTag(tag, &texts)
  }

  mutating func takeKeywords(_ capture: Capture, _ texts: inout TextBuffer) {
    let end = texts.bytes.count
    var wordStart = capture.start
    for index in capture.start...end where index == end || texts.bytes[index] == UInt8(ascii: ",") {
      let word = texts.trimmed(wordStart..<index)
      if !word.isEmpty { addTag(texts.slice(word), &texts) }
      wordStart = index + 1
    }
  }
}
