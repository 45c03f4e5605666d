internal import Glibc

/// The general entities that a document declares, and the HTML entities.
///
/// The table is bounded on purpose: few entities, short values, few replacement levels, and a limit for all
/// replacements together (``XMLReaderLimits/expandedBytes``).
final class EntityTable {
  private struct Declaration {
    let name: [UInt8]
    let value: [UInt8]
    /// True if the value contains elements or CDATA.
    let isMarkup: Bool
  }

  private static let largestCount = 64
  private static let largestValue = 64 << 10
  static let deepestNesting = 4
  /// The bytes that each reference in the document may add for free: entities are meant for short texts.
  private static let freeBytes = 64

  private var declarations: [Declaration] = []
  /// True if a name occurred that neither the document nor HTML declares.
  private(set) var metUnknownName = false
  /// True if the declared entities would have exceeded their limit. References then stay as written.
  private(set) var isExhausted = false

  private let largestExpansion: Int
  /// The size of all values that replaced references, at any level, in bytes. It also measures the work.
  private var expandedBytes = 0

  init(largestExpansion: Int) {
    self.largestExpansion = largestExpansion
  }

  /// Adds an internal entity; the first declaration of a name wins.
  func declare(_ name: Span<UInt8>, value: Span<UInt8>) {
    guard declarations.count < Self.largestCount, value.count <= Self.largestValue,
      self.value(of: name) == nil
    else { return }
    var entry = (name: [UInt8](), value: [UInt8]())
    entry.name.append(name)
    entry.value.append(value)
    WindowsCodePage.replaceControls(in: &entry.value, from: 0)
    declarations.append(
      Declaration(name: entry.name, value: entry.value, isMarkup: Self.holdsMarkup(value)))
  }

  /// Returns whether the entity `name` contains elements or CDATA, which are read instead of the reference.
  func isMarkup(_ name: Span<UInt8>) -> Bool { declaration(of: name)?.isMarkup ?? false }

  /// Returns the entity's elements or CDATA; nil if it is text or exceeds the limit. The full size is
  /// counted, so that an entity that refers to itself ends.
  func takeMarkup(for name: Span<UInt8>) -> [UInt8]? {
    guard let declaration = declaration(of: name), declaration.isMarkup,
      pay(for: declaration.value.count, level: 1)
    else { return nil }
    return declaration.value
  }

  private static func holdsMarkup(_ value: Span<UInt8>) -> Bool {
    var index = 0
    while let open = value.firstIndex(of: UInt8(ascii: "<"), from: index) {
      let markup = MarkupStart(in: value, at: open)
      if markup == .startTag || markup == .characterData { return true }
      index = open + 1
    }
    return false
  }

  /// Appends the entity's value. An unknown reference stays as written.
  func appendReplacement(for name: Span<UInt8>, to bytes: inout [UInt8]) {
    append(name, to: &bytes, level: 0)
  }

  /// Appends `text`, replacing its references.
  func appendDecoding(_ text: Span<UInt8>, to bytes: inout [UInt8]) {
    decode(text, to: &bytes, level: 0)
  }

  private func append(_ name: Span<UInt8>, to bytes: inout [UInt8], level: Int) {
    if let value = value(of: name), level < Self.deepestNesting, pay(for: value.count, level: level) {
      decode(value.span, to: &bytes, level: level + 1)
    } else if let characters = HTMLEntity.characters(named: name) {
      bytes.append(characters)
    } else {
      metUnknownName = true
      bytes.append(UInt8(ascii: "&"))
      bytes.append(name)
      bytes.append(UInt8(ascii: ";"))
    }
  }

  /// Counts a replacement of `count` bytes. Returns false if it exceeds the limit.
  private func pay(for count: Int, level: Int) -> Bool {
    // One extra byte, so that nested empty values also count.
    expandedBytes += max(0, count + 1 - (level == 0 ? Self.freeBytes : 0))
    if expandedBytes > largestExpansion { isExhausted = true }
    return !isExhausted
  }

  private func decode(_ text: Span<UInt8>, to bytes: inout [UInt8], level: Int) {
    var index = 0
    while index < text.count {
      let next = text.firstIndex(of: UInt8(ascii: "&"), from: index) ?? text.count
      bytes.append(text.extracting(index..<next))
      index = next
      guard index < text.count else { return }
      let end = HTMLEntity.appendReference(in: text, at: index, to: &bytes)
      if end > index {
        index = end
      } else if let semicolon = nameEnd(in: text, from: index + 1) {
        append(text.extracting((index + 1)..<semicolon), to: &bytes, level: level)
        index = semicolon + 1
      } else {
        bytes.append(UInt8(ascii: "&"))
        index += 1
      }
    }
  }

  /// Returns the offset of the semicolon after a name at `start`.
  private func nameEnd(in text: Span<UInt8>, from start: Int) -> Int? {
    var index = start
    while index < text.count, index - start < 64 {
      if text[index] == UInt8(ascii: ";") { return index > start ? index : nil }
      guard
        text[index].isASCIIAlphanumeric || text[index] == 0x2D || text[index] == 0x2E || text[index] == 0x5F
          || text[index] >= 0x80
      else { return nil }
      index += 1
    }
    return nil
  }

  private func value(of name: Span<UInt8>) -> [UInt8]? { declaration(of: name)?.value }

  private func declaration(of name: Span<UInt8>) -> Declaration? {
    for declaration in declarations where declaration.name.count == name.count {
      if declaration.name.span.elementsEqual(name) { return declaration }
    }
    return nil
  }
}

extension Span<UInt8> {
  /// Returns whether both spans contain the same bytes.
  package func elementsEqual(_ other: Span<UInt8>) -> Bool {
    guard count == other.count else { return false }
    return unsafe withUnsafeBytes { left in
      unsafe other.withUnsafeBytes { right in
        guard let left = left.baseAddress, let right = right.baseAddress else { return true }
        return unsafe memcmp(left, right, count) == 0
      }
    }
  }
}
