internal import Markup
internal import TextOutput

/// The elements that the parser or a writer treats specially. All others are ``other``.
enum HTMLTag: UInt8, CaseIterable {
  case other
  case a, abbr, acronym, address, applet, area, article, aside, audio, b, base, basefont, bdi, bdo, bgsound,
    big
  case blockquote, body, br, button, caption, center, cite, code, col, colgroup, data, datalist, dd,
    del
  case details, dfn, dialog, dir, div, dl, dt, em, embed, fieldset, figcaption, figure, font, footer, form,
    frame
  case frameset, h1, h2, h3, h4, h5, h6, head, header, hgroup, hr, html, i, iframe, image, img, input, ins,
    kbd, keygen
  case legend, li, link, listing, main, map, mark, marquee, math, menu, meta, nav, nobr, noembed,
    noframes
  case noscript, object, ol, optgroup, option, p, param, picture, plaintext, pre, q, rb, rp, rt, rtc, ruby, s,
    samp
  case script, search, section, select, small, source, span, strike, strong, style, sub, summary, sup, table,
    tbody, td
  case template, textarea, tfoot, th, thead, time, title, tr, track, tt, u, ul, `var`, video, wbr, xmp
  // SVG and MathML.
  case annotation, annotationXML, desc, foreignObject, maction, malignmark, mfenced, mfrac, mglyph, mi, mn
  case mo, mover, mphantom, mroot, ms, msqrt, msub, msubsup, msup, mtext, mtr, munder, munderover, semantics,
    svg

  /// The name in lower case, as the parser compares it.
  var name: String {
    switch self {
    case .annotationXML: "annotation-xml"
    case .foreignObject: "foreignobject"
    default: "\(self)"
    }
  }
}

/// A set of elements.
struct TagSet: ExpressibleByArrayLiteral {
  /// A bit for each tag, by its raw value.
  private var words = SIMD4<UInt64>()

  init(arrayLiteral tags: HTMLTag...) {
    for tag in tags { words[Self.word(of: tag)] |= Self.bit(of: tag) }
  }

  func contains(_ tag: HTMLTag) -> Bool { words[Self.word(of: tag)] & Self.bit(of: tag) != 0 }

  func union(_ other: TagSet) -> TagSet {
    var all = self
    all.words |= other.words
    return all
  }

  private static func word(of tag: HTMLTag) -> Int { Int(tag.rawValue >> 6) }
  private static func bit(of tag: HTMLTag) -> UInt64 { 1 << UInt64(tag.rawValue & 63) }
}

/// The attributes that the parser or a writer reads.
enum HTMLAttribute: UInt8, CaseIterable {
  case alt, alttext, checked, `class`, color, colspan, data, dir, encoding, face, height, hidden, href, id,
    lang,
    name, open
  case reversed, rowspan, scope, size, span, src, srcset, start, style, title, type, value, width
  /// Attributes that a script uses to load a picture.
  case lazySrc, lazySrcset

  /// The attribute's names, in lower case.
  fileprivate var names: [String] {
    switch self {
    case .lazySrc: LazyPicture.addresses.map { "\($0)" }
    case .lazySrcset: LazyPicture.lists.map { "\($0)" }
    default: ["\(self)"]
    }
  }
}

/// The hash of an element or attribute name in lower case.
struct NameHash: Hashable {
  private var hash = FNV1a()

  var value: UInt64 { hash.value }

  init() {}

  init(_ name: String) { self.init(Array(name.utf8).span) }

  init(_ name: Span<UInt8>) { add(name) }

  mutating func add(_ text: Span<UInt8>) {
    for index in text.indices { hash.add(text[index].asciiLowercased) }
  }
}

/// Finds elements or attributes by their names.
struct NameTable<Value: RawRepresentable<UInt8>>: Sendable where Value: Sendable {
  /// Open addressing, with a slot for each value of 10 hash bits.
  private var hashes = [UInt64](repeating: 0, count: 1024)
  private var values = [UInt8](repeating: 0, count: 1024)

  init(_ names: [(String, Value)]) {
    for (name, value) in names {
      let hash = NameHash(name).value
      var place = Int(hash & 1023)
      while hashes[place] != 0 { place = (place + 1) & 1023 }
      (hashes[place], values[place]) = (hash, value.rawValue)
    }
  }

  /// Returns the value with a name; nil if no value has it.
  subscript(_ hash: NameHash) -> Value? {
    var place = Int(hash.value & 1023)
    while hashes[place] != hash.value {
      if hashes[place] == 0 { return nil }
      place = (place + 1) & 1023
    }
    return Value(rawValue: values[place])
  }
}

extension HTMLTag {
  static let byName = NameTable(allCases.filter { $0 != .other }.map { ($0.name, $0) })
}

extension HTMLAttribute {
  static let byName = NameTable(allCases.flatMap { attribute in attribute.names.map { ($0, attribute) } })
}
