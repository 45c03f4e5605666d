internal import Markup

/// Links that fill no field, and content at another address.
extension FeedBuilder {
  /// Stores a link of an item with its attributes.
  mutating func noteLink(_ attributes: XMLAttributes) { _ = startExtension(.link, nil, attributes) }

  /// Stores a link of the feed with its attributes.
  mutating func noteFeedLink(_ url: String, _ attributes: XMLAttributes) {
    guard url.utf8.count <= Self.longestEntry, hasRoom(details.links.count, in: .links) else { return }
    let link = RelatedLink(
      url: url, relation: entry(.rel, of: attributes), type: entry(.type, of: attributes),
      title: entry(.title, of: attributes), language: entry(.hreflang, of: attributes),
      size: value(.length, of: attributes) { Quantity.whole($0) })
    if !details.links.contains(link) { details.links.append(link) }
  }

  /// Stores Atom `content` with `src` (RFC 4287, section 4.1.3.2): a file of the item, or the page of an item without
  /// one.
  mutating func noteContentSource(_ attributes: XMLAttributes) {
    let start = batch.bytes.count
    guard append(.src, of: attributes) else { return }
    resolveAddress(from: start)
    guard let url = trimmedSlice(from: start) else { return }
    _ = startExtension(.contentSource, nil, attributes)
    if isOfFile(attributes) {
      item.hasContentFile = true
    } else {
      item.url.set(url, rank: 9)
    }
  }

  /// Returns whether the type is neither text nor a page.
  private mutating func isOfFile(_ attributes: XMLAttributes) -> Bool {
    value(.type, of: attributes) { type in
      if Capture.isMedia(type) { return true }
      return type.firstIndex(of: UInt8(ascii: "/")) != nil && !type.hasPrefixIgnoringCase("text/")
        && !type.containsIgnoringCase("html") && !type.containsIgnoringCase("xml")
    } ?? false
  }

  /// Adds an attachment for content at another address, unless a link of `rel="enclosure"` did.
  mutating func addContentFile() {
    guard let url = part(.url, of: .contentSource) else { return }
    if hasAttachment(url) { return }
    guard hasRoom(pendingAttachments.count, in: .attachments) else { return }
    let type = part(.type, of: .contentSource)
    pendingAttachments.append(ParsedAttachment(url: url, mimeType: type))
  }

  private func hasAttachment(_ url: ByteSlice) -> Bool {
    let text = batch.bytes.span.extracting(url.moved(by: itemStart).range)
    for file in pendingAttachments {
      let other = batch.bytes.span.extracting(file.url.moved(by: itemStart).range)
      if other.elementsEqual(text) { return true }
    }
    return false
  }

  private func part(_ field: ParsedExtension.Field, of kind: ParsedExtension.Kind) -> ByteSlice? {
    pendingExtensions.first { $0.kind == kind && $0.field == field }?.value
  }
}
