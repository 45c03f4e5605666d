import TextOutput

internal import Markup

/// Writes the members in one item's `_newsimport`, from the bytes in the item's batch.
struct ItemMemberWriter {
  /// The adjacent parts of one element.
  struct Element {
    let kind: ParsedExtension.Kind
    var parts: Range<Int>
    var source: ItemSources { ItemSources(rawValue: 1 << UInt64(kind.rawValue)) }
  }

  private enum Value {
    case text(ByteSlice)
    case string(String)
    case whole(Int64)
    case decimal(Double)
    case flag(Bool)
  }

  let item: ParsedItem
  let batch: ParsedItemBatch
  private(set) var elements: [Element] = []
  /// The sources that the item has.
  private(set) var sources: ItemSources = []

  init(_ item: ParsedItem, of batch: ParsedItemBatch) {
    (self.item, self.batch) = (item, batch)
    if item.summaryIsHTML(in: batch) { sources.insert(.htmlSummary) }
    if item.idIsPermaLink != nil { sources.insert(.permaLink) }
    for index in item.extensions.range.clamped(to: 0..<batch.extensions.count) {
      let part = batch.extensions[index]
      if let last = elements.indices.last, batch.extensions[index - 1].element == part.element {
        elements[last].parts = elements[last].parts.lowerBound..<(index + 1)
      } else {
        elements.append(Element(kind: part.kind, parts: index..<(index + 1)))
        sources.insert(elements[elements.count - 1].source)
      }
    }
  }

  /// Writes a member with its name; nothing if the item does not have it.
  func write(_ member: ItemMember, to json: inout JSONText) {
    guard !sources.isDisjoint(with: member.sources) else { return }
    switch member.form {
    case .value(let field, let type):
      for element in elements where member.sources.contains(element.source) {
        guard let value = value(of: field, type, in: element) else { continue }
        json.key(member.name)
        return write(value, to: &json)
      }
    case .object(let fields):
      let index = elements.indices.first {
        member.sources.contains(elements[$0].source) && isComplete($0, fields)
      }
      guard let index else { return }
      json.key(member.name)
      writeObject(index, fields, to: &json)
    case .list(let fields):
      writeList(member.name, elements.indices, member.sources, fields, to: &json)
    case .set(let fields): writeSet(member, fields, to: &json)
    case .special(let special, _): write(special, member.name, to: &json)
    }
  }

  // MARK: Lists and objects

  private func isComplete(_ index: Int, _ fields: [MemberField]) -> Bool {
    for field in fields {
      guard case .dropsElement = field.absence else { continue }
      guard value(of: field.content, in: elements[index]) != nil else { return false }
    }
    return true
  }

  private func writeList(
    _ name: StaticString, _ range: Range<Int>, _ sources: ItemSources, _ fields: [MemberField],
    to json: inout JSONText
  ) {
    var isEmpty = true
    for index in range where sources.contains(elements[index].source) && isComplete(index, fields) {
      if isEmpty {
        json.key(name)
        json.open("[")
        isEmpty = false
      }
      writeObject(index, fields, to: &json)
    }
    if !isEmpty { json.close("]") }
  }

  private func writeSet(_ member: ItemMember, _ fields: [MemberField], to json: inout JSONText) {
    var objects: [[UInt8]] = []
    for index in elements.indices
    where member.sources.contains(elements[index].source) && isComplete(index, fields) {
      var object = JSONText()
      writeObject(index, fields, to: &object)
      if !objects.contains(object.bytes) { objects.append(object.bytes) }
    }
    guard !objects.isEmpty else { return }
    json.key(member.name)
    json.open("[")
    for object in objects { json.append(elements: object) }
    json.close("]")
  }

  private func writeObject(_ index: Int, _ fields: [MemberField], to json: inout JSONText) {
    json.open("{")
    for field in fields { write(field, of: index, to: &json) }
    json.close("}")
  }

  private func write(_ field: MemberField, of index: Int, to json: inout JSONText) {
    switch field.content {
    case .list(let kind, let fields):
      writeList(field.name, parts(of: index), ItemSources(kind), fields, to: &json)
    case .last(let kind, let fields):
      guard let last = parts(of: index).last(where: { elements[$0].kind == kind && isComplete($0, fields) })
      else { return }
      json.key(field.name)
      writeObject(last, fields, to: &json)
    default:
      if let value = value(of: field.content, in: elements[index]) {
        json.key(field.name)
        write(value, to: &json)
      } else if case .empty = field.absence {
        json.field(field.name, "")
      }
    }
  }

  /// Returns the elements that belong to another element. They end before the next element of the same kind.
  private func parts(of index: Int) -> Range<Int> {
    let next = elements[(index + 1)...].firstIndex { $0.kind == elements[index].kind }
    return (index + 1)..<(next ?? elements.count)
  }

  // MARK: Values

  /// Returns the bytes of the element's first part for a field.
  func slice(_ field: ParsedExtension.Field, in element: Element) -> ByteSlice? {
    for index in element.parts where batch.extensions[index].field == field {
      return batch.extensions[index].value
    }
    return nil
  }

  private func value(of content: MemberField.Content, in element: Element) -> Value? {
    switch content {
    case .part(let field, let type): value(of: field, type, in: element)
    case .either(let one, let other): (slice(one, in: element) ?? slice(other, in: element)).map(Value.text)
    case .licenseAddress:
      (slice(.url, in: element) ?? licenseText(of: element, isAddress: true)).map(Value.text)
    case .licenseName: licenseText(of: element, isAddress: false).map(Value.text)
    case .list, .last: nil
    }
  }

  private func value(of field: ParsedExtension.Field, _ type: MemberField.ValueType, in element: Element)
    -> Value?
  {
    guard let slice = slice(field, in: element) else { return nil }
    switch type {
    case .text: return .text(slice)
    case .lowercased: return batch.string(slice).map { .string($0.lowercased()) }
    case .whole: return Quantity.whole(batch.bytes.span.extracting(slice.range)).map(Value.whole)
    case .seconds: return Quantity.seconds(batch.bytes.span.extracting(slice.range)).map(Value.whole)
    case .decimal: return Quantity.decimal(batch.string(slice)).map(Value.decimal)
    case .flag: return Quantity.flag(batch.string(slice)).map(Value.flag)
    }
  }

  /// Returns a licence's text. With `isAddress`, the text must be an address that no attribute states;
  /// without it, any other text.
  private func licenseText(of element: Element, isAddress: Bool) -> ByteSlice? {
    guard let slice = slice(.text, in: element) ?? slice(.title, in: element) else { return nil }
    let isURL = self.slice(.url, in: element) == nil && batch.string(slice)?.contains("://") == true
    return isURL == isAddress ? slice : nil
  }

  private func write(_ value: Value, to json: inout JSONText) {
    switch value {
    case .text(let slice): json.string(slice, of: batch)
    case .string(let text): json.string(text)
    case .whole(let number): json.raw(String(number))
    case .decimal(let number): json.number(number)
    case .flag(let flag): json.raw(flag ? "true" : "false")
    }
  }
}
