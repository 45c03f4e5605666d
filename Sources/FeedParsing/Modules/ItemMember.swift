/// A member in an item's `_newsimport`: its name, the elements that fill it and its value's form.
///
/// ``all`` is the only list of these members. ``ItemMemberWriter`` prints them, ``ItemMembers`` offers them
/// by name, and ``ItemMembers/markdown`` documents them.
struct ItemMember: Sendable {
  /// The form of a member's value.
  enum Form: Sendable {
    /// The first valid part among all elements.
    case value(ParsedExtension.Field, MemberField.ValueType)
    /// An object from the first element that has all required fields.
    case object([MemberField])
    /// A list with one object for each element that has all required fields.
    case list([MemberField])
    /// A list without objects that print like an earlier one.
    case set([MemberField])
    /// A value with its own rule, and its type as Markdown.
    case special(Special, StaticString)
  }

  /// The members with their own rules.
  enum Special: Sendable {
    case summaryType, isPermaLink, commentPage, commentFeed, commentCount, location
  }

  let name: StaticString
  let form: Form
  /// The elements that fill the member, as Markdown.
  let filledBy: StaticString
  let sources: ItemSources

  init(_ name: StaticString, _ sources: ItemSources, _ form: Form, from filledBy: StaticString) {
    self.name = name
    self.form = form
    self.filledBy = filledBy
    self.sources = sources
  }

  init(_ name: StaticString, _ kind: ParsedExtension.Kind, _ form: Form, from filledBy: StaticString) {
    self.init(name, [ItemSources(kind)], form, from: filledBy)
  }
}

/// The sources for members: a bit for each kind of element, and two properties of the item itself.
struct ItemSources: OptionSet {
  let rawValue: UInt64

  static let htmlSummary = ItemSources(rawValue: 1 << 63)
  static let permaLink = ItemSources(rawValue: 1 << 62)

  init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  init(_ kinds: ParsedExtension.Kind...) {
    rawValue = kinds.reduce(0) { bits, kind in
      precondition(kind.rawValue < 62, "The last two bits belong to properties of the item.")
      return bits | 1 << UInt64(kind.rawValue)
    }
  }
}

/// A field in an object in an item's `_newsimport`.
struct MemberField: Sendable {
  /// The types for single values.
  enum ValueType: Sendable {
    case text, lowercased
    case whole, decimal, seconds, flag
  }

  /// The source of a field's value.
  enum Content: Sendable {
    case part(ParsedExtension.Field, ValueType)
    /// The first of two parts that exists, as text.
    case either(ParsedExtension.Field, ParsedExtension.Field)
    /// A licence's address, which may be its text.
    case licenseAddress
    /// A licence's text if it is not an address.
    case licenseName
    /// A list with one object for each element of this kind that belongs to the current element.
    case list(ParsedExtension.Kind, [MemberField])
    /// The object from the last element of this kind that belongs to the current element.
    case last(ParsedExtension.Kind, [MemberField])
  }

  /// The rule for an element without a valid value for a field.
  enum Absence: Sendable {
    /// The field is left out.
    case omitted
    /// The field is printed as an empty string.
    case empty
    /// The element prints nothing.
    case dropsElement
  }

  let name: StaticString
  let content: Content
  let absence: Absence

  init(_ name: StaticString, _ content: Content, absence: Absence = .omitted) {
    self.name = name
    self.content = content
    self.absence = absence
  }

  init(
    _ name: StaticString, _ field: ParsedExtension.Field, _ type: ValueType = .text,
    absence: Absence = .omitted
  ) {
    self.init(name, .part(field, type), absence: absence)
  }

  /// Returns a field without which the element prints nothing.
  static func required(
    _ name: StaticString, _ field: ParsedExtension.Field, _ type: ValueType = .text
  ) -> MemberField {
    MemberField(name, field, type, absence: .dropsElement)
  }
}
