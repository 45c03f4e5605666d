/// The general entities that a document declares itself, as text, and those of HTML behind them.
///
/// Bounded on purpose: few entities, short ones, and replacement stops at a few levels.
final class EntityTable {
  private struct Declaration {
    let name: [UInt8]
    let value: [UInt8]
  }

  private static let largestCount = 64
  private static let largestValue = 64 << 10
  private static let largestExpansion = 256 << 10
  private static let deepestNesting = 4

  private var declarations: [Declaration] = []
  /// Whether a name was met that neither the document nor HTML declares.
  private(set) var metUnknownName = false

  /// Remembers an internal entity; the first declaration of a name counts.
  func declare(_ name: Span<UInt8>, value: Span<UInt8>) {
    guard declarations.count < Self.largestCount, value.count <= Self.largestValue,
      self.value(of: name) == nil
    else { return }
    var entry = (name: [UInt8](), value: [UInt8]())
    entry.name.append(name)
    entry.value.append(value)
    declarations.append(Declaration(name: entry.name, value: entry.value))
  }

  /// Appends what stands for the entity `name`; an unknown one is left as it was written.
  func appendReplacement(for name: Span<UInt8>, to bytes: inout [UInt8]) {
    append(name, to: &bytes, level: 0, from: bytes.count)
  }

  /// Appends `text`, its references replaced.
  func appendDecoding(_ text: Span<UInt8>, to bytes: inout [UInt8]) {
    decode(text, to: &bytes, level: 0, from: bytes.count)
  }

  private func append(_ name: Span<UInt8>, to bytes: inout [UInt8], level: Int, from start: Int) {
    if let value = value(of: name), level < Self.deepestNesting, bytes.count - start < Self.largestExpansion {
      decode(value.span, to: &bytes, level: level + 1, from: start)
    } else if let scalar = HTMLEntity.scalar(named: name) {
      bytes.appendUTF8(scalar)
    } else {
      metUnknownName = true
      bytes.append(UInt8(ascii: "&"))
      bytes.append(name)
      bytes.append(UInt8(ascii: ";"))
    }
  }

  private func decode(_ text: Span<UInt8>, to bytes: inout [UInt8], level: Int, from start: Int) {
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
        append(text.extracting((index + 1)..<semicolon), to: &bytes, level: level, from: start)
        index = semicolon + 1
      } else {
        bytes.append(UInt8(ascii: "&"))
        index += 1
      }
    }
  }

  /// Where the semicolon stands that ends a name at `start`.
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

  private func value(of name: Span<UInt8>) -> [UInt8]? {
    for declaration in declarations where declaration.name.count == name.count {
      if declaration.name.span.elementsEqual(name) { return declaration.value }
    }
    return nil
  }
}

extension Span<UInt8> {
  /// Whether both hold the same bytes.
  package func elementsEqual(_ other: Span<UInt8>) -> Bool {
    guard count == other.count else { return false }
    for index in 0..<count where self[index] != other[index] { return false }
    return true
  }
}
