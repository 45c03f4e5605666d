internal import Markup

/// The elements that are members of the feed's `_newsimport`.
extension DetailsBuilder {
  /// Begins an element; returns false if the feed has the maximum number of its kind. The list is then counted as
  /// cut, once.
  mutating func beginElement(_ kind: ParsedExtension.Kind, _ limits: ParserLimits) -> Bool {
    counts[kind, default: 0] += 1
    if counts[kind] == limits.listCount + 1 { details.shortenedListCount += 1 }
    guard counts[kind, default: 0] <= limits.listCount, elementCount < .max else { return false }
    elementCount += 1
    return true
  }

  /// Begins an element, with the attributes that have a meaning; returns false if the feed has the maximum
  /// number of its kind.
  mutating func beginElement(
    _ kind: ParsedExtension.Kind, _ attributes: XMLAttributes, _ texts: inout TextBuffer
  ) -> Bool {
    guard beginElement(kind, texts.limits) else { return false }
    texts.forEachField(of: attributes) { field, start, texts in note(kind, field, from: start, &texts) }
    return true
  }

  /// Takes the text from `start` on as a part of the element that began last, unless it is too long.
  mutating func note(
    _ kind: ParsedExtension.Kind, _ field: ParsedExtension.Field, from start: Int, _ texts: inout TextBuffer
  ) {
    if let slice = texts.trimmedSlice(from: start), slice.count <= TextBuffer.longestEntry {
      details.parts.append(kind, field, element: elementCount, texts.bytes[texts.range(slice)])
    }
    texts.removeTexts(from: start)
  }

  private mutating func note(
    _ kind: ParsedExtension.Kind, _ field: ParsedExtension.Field, _ text: String?
  ) {
    guard let text, text.utf8.count <= TextBuffer.longestEntry else { return }
    details.parts.append(kind, field, element: elementCount, text.utf8)
  }

  /// Takes a text as an element with one part.
  mutating func note(
    _ kind: ParsedExtension.Kind, _ field: ParsedExtension.Field, _ text: String?, _ limits: ParserLimits
  ) {
    if beginElement(kind, limits) { note(kind, field, text) }
  }

  /// Takes words that commas separate, each as an element.
  mutating func noteKeywords(from start: Int, _ texts: inout TextBuffer) {
    for word in (texts.takeText(from: start) ?? "").split(separator: ",") {
      let keyword = word.drop(while: \.isWhitespace)
      guard let end = keyword.lastIndex(where: { !$0.isWhitespace }) else { continue }
      let text = String(keyword[...end])
      if keywords.insert(text).inserted { note(.keywords, .text, text, texts.limits) }
    }
  }

  /// Takes a person who is not an author.
  mutating func note(
    _ person: FeedDetails.Author, as kind: ParsedExtension.Kind, _ limits: ParserLimits
  ) {
    guard beginElement(kind, limits) else { return }
    note(kind, .name, person.name)
    note(kind, .email, person.email)
    note(kind, .url, person.url)
  }

  /// Takes an `itunes:category`.
  ///
  /// - Parameter isInner: True if it is inside another one.
  mutating func takeITunesCategory(
    isInner: Bool, _ attributes: XMLAttributes, _ texts: inout TextBuffer
  ) {
    guard let term = texts.entry(.text, of: attributes), beginElement(.category, texts.limits) else { return }
    note(.category, .text, term)
    note(.category, .scheme, "http://www.itunes.com/")
    if isInner { note(.category, .parent, outerCategory) } else { outerCategory = term }
  }
}
