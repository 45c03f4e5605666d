/// Which encoding a document is in: byte order mark, charset of the Content-Type, XML declaration, UTF-8.
struct DocumentEncoding: Equatable {
  /// The name by which it is decoded and reported, in lower case.
  var name: String
  /// How many bytes of a byte order mark come first.
  var markLength = 0
  /// What the declaration says, when something else was more credible: taken where UTF-8 turns out wrong.
  var declared: String?

  /// How many bytes are enough to decide.
  static let headLength = 1024

  /// Whether `head` suffices to decide: what follows would not change what is found in it.
  static func canDecide(_ head: [UInt8]) -> Bool {
    guard head.count >= 4 else { return false }
    if head.count >= headLength { return true }
    if head.starts(with: ebcdic) { return head.contains(0x6E) }
    // The declaration begins with the first bracket, or there is none.
    guard let start = head.firstIndex(of: UInt8(ascii: "<")), start + 1 < head.count else { return false }
    let mayDeclare = head[start + 1] == UInt8(ascii: "?") || head[start + 1] == 0
    return !mayDeclare || head[start...].contains(UInt8(ascii: ">"))
  }

  /// `<?xm` in EBCDIC.
  private static let ebcdic: [UInt8] = [0x4C, 0x6F, 0xA7, 0x94]

  /// Decides by the first bytes and the charset of the Content-Type.
  init(head: [UInt8], contentType: String?) {
    self.init(head: head, contentType: contentType, declaration: Self.declaration(in: head))
  }

  /// Decides as for XML, with what a `meta` of the page declares in place of the XML declaration (HTML Standard,
  /// section 13.2.3.2); a page that is XML may have either.
  init(headOfHTML head: [UInt8], contentType: String?) {
    self.init(
      head: head, contentType: contentType, declaration: Self.meta(in: head) ?? Self.declaration(in: head))
  }

  private init(head: [UInt8], contentType: String?, declaration: String?) {
    let charset = contentType.flatMap(Self.charset(ofContentType:)).flatMap(Self.supported)
    let declared = declaration.flatMap(Self.supported)
    if let mark = Self.mark(of: head) {
      (name, markLength) = mark
    } else if let wide = Self.wideForm(of: head, declared: declared) {
      name = wide
    } else {
      let narrow = [charset, declared].compactMap(\.self).filter { !Self.isWide($0) }
      name = narrow.first ?? "utf-8"
      self.declared = narrow.last
    }
    if self.declared == name { self.declared = nil }
  }

  /// Decides as JSON asks for: by the byte order mark, else by the zeros among the first four bytes (RFC 4627,
  /// section 3), because its first two characters are ASCII.
  init(headOfJSON head: [UInt8]) {
    (name, markLength) = Self.mark(of: head) ?? (Self.wideForm(of: head, declared: nil) ?? "utf-8", 0)
  }

  private static func mark(of head: [UInt8]) -> (String, Int)? {
    let span = head.span
    if span.hasPrefix("\u{FEFF}") { return ("utf-8", 3) }
    guard head.count >= 4 else { return nil }
    switch (head[0], head[1], head[2], head[3]) {
    case (0xFF, 0xFE, 0, 0): return ("utf-32le", 4)
    case (0, 0, 0xFE, 0xFF): return ("utf-32be", 4)
    case (0xFF, 0xFE, _, _): return ("utf-16le", 2)
    case (0xFE, 0xFF, _, _): return ("utf-16be", 2)
    default: return nil
    }
  }

  /// Forms that ASCII cannot be: recognised by the zeros around the first characters, or as EBCDIC.
  private static func wideForm(of head: [UInt8], declared: String?) -> String? {
    guard head.count >= 4 else { return nil }
    switch (head[0], head[1], head[2], head[3]) {
    case (0, 0, 0, 1...): return "utf-32be"
    case (1..., 0, 0, 0): return "utf-32le"
    case (0, 1..., 0, 1...): return "utf-16be"
    case (1..., 0, 1..., 0): return "utf-16le"
    case (0x4C, 0x6F, 0xA7, 0x94): return declared ?? "ibm037"
    default: return nil
    }
  }

  private static func isWide(_ name: String) -> Bool {
    name.hasPrefix("utf-16") || name.hasPrefix("utf-32") || name.hasPrefix("ucs-") || name.hasPrefix("ibm037")
      || name.hasPrefix("iso-10646") || name.hasPrefix("ebcdic")
  }

  /// The value of `charset` in a Content-Type, whatever stands around it.
  static func charset(ofContentType text: String) -> String? {
    let bytes = Array(text.utf8)
    return charset(in: bytes.span)
  }

  private static func charset(in text: Span<UInt8>) -> String? {
    for index in 0..<text.count where text.hasPrefixIgnoringCase("charset", at: index) {
      return value(in: text, from: index + 7)
    }
    return nil
  }

  /// The encoding that the XML declaration at the beginning of `head` names.
  static func declaration(in head: [UInt8]) -> String? {
    let head = Array(head.prefix(headLength))
    var ascii = head.filter { $0 != 0 }
    if head.starts(with: ebcdic), let converter = IconvConverter(from: "IBM037") {
      ascii = []
      _ = unsafe head.withUnsafeBufferPointer { unsafe converter.convert($0, into: &ascii) }
    }
    let text = ascii.span
    var index = ascii.firstIndex(of: UInt8(ascii: "<")) ?? ascii.count
    guard text.hasPrefixIgnoringCase("<?xml", at: index) else { return nil }
    while index < text.count, text[index] != UInt8(ascii: ">") {
      if text.hasPrefixIgnoringCase("encoding", at: index) { return value(in: text, from: index + 8) }
      index += 1
    }
    return nil
  }

  /// The charset that the first `meta` with one names, in either form: `charset=...` or as part of a Content-Type.
  private static func meta(in head: [UInt8]) -> String? {
    let head = Array(head.prefix(headLength))
    let text = head.span
    var index = 0
    while let open = text.firstIndex(of: UInt8(ascii: "<"), from: index) {
      index = open + 1
      guard text.hasPrefixIgnoringCase("meta", at: index) else { continue }
      let end = text.firstIndex(of: UInt8(ascii: ">"), from: index) ?? text.count
      if let charset = charset(in: text.extracting(index..<end)) { return charset }
      index = end
    }
    return nil
  }

  /// The value behind an equals sign, in quotation marks of either kind or none.
  private static func value(in text: Span<UInt8>, from start: Int) -> String? {
    var index = start
    while index < text.count,
      text[index].isXMLSpace || text[index] == UInt8(ascii: "=") || text[index] == 0x3A
    {
      index += 1
    }
    guard index < text.count else { return nil }
    if text[index] == 0x22 || text[index] == 0x27 {
      guard let end = text.firstIndex(of: text[index], from: index + 1) else { return nil }
      return text.extracting((index + 1)..<end).text
    }
    var end = index
    while end < text.count, text[end].isASCIIAlphanumeric || "-_.:".utf8.contains(text[end]) { end += 1 }
    return end > index ? text.extracting(index..<end).text : nil
  }

  /// The name by which we decode what a document calls `label`; nil when nobody knows it.
  static func supported(_ label: String) -> String? {
    let bytes = label.utf8.filter { !$0.isXMLSpace }.map(\.asciiLowercased)
    let name = String(decoding: bytes, as: UTF8.self)
    if let known = known(name) { return known }
    // People write other separators, and "x-" in front.
    var plain = bytes.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "_") }
    if name.hasPrefix("x-") { plain.removeFirst() }
    if let known = known(String(decoding: plain, as: UTF8.self)) { return known }
    let letters = plain.prefix { $0.isASCIILetter }
    guard codePagePrefixes.contains(String(decoding: letters, as: UTF8.self)) else { return nil }
    return known("cp" + String(decoding: plain.dropFirst(letters.count), as: UTF8.self))
  }

  private static func known(_ name: String) -> String? {
    aliases[name] ?? (IconvConverter(from: name) == nil ? nil : name)
  }

  /// What stands in front of the number of a code page.
  private static let codePagePrefixes: Set<String> = [
    "windows", "win", "ms", "cp", "ibm", "dos", "csibm", "csdos",
  ]

  /// What browsers take these names for (WHATWG Encoding), the larger set in each case.
  private static let aliases: [String: String] = [
    "utf-8": "utf-8", "utf8": "utf-8", "us-ascii": "utf-8", "ascii": "utf-8", "unicode-1-1-utf-8": "utf-8",
    "iso-8859-1": "windows-1252", "iso8859-1": "windows-1252", "latin1": "windows-1252", "l1": "windows-1252",
    "iso_8859-1": "windows-1252", "windows-1252": "windows-1252", "cp1252": "windows-1252",
    "x-cp1252": "windows-1252", "iso-8859-9": "windows-1254", "latin5": "windows-1254",
    "iso-8859-11": "windows-874", "tis-620": "windows-874", "gb2312": "gb18030", "gbk": "gb18030",
    "x-gbk": "gb18030", "gb_2312-80": "gb18030", "x-sjis": "cp932", "windows-31j": "cp932",
    "ms_kanji": "cp932",
    "shift_jis": "cp932", "shift-jis": "cp932", "sjis": "cp932", "ks_c_5601-1987": "cp949", "euc-kr": "cp949",
    "x-mac-roman": "macintosh", "utf-16": "utf-16le", "x-euc-jp": "euc-jp", "x-x-big5": "big5",
    "utf-7": "utf-8", "windows1252": "windows-1252", "win1252": "windows-1252", "ansi": "windows-1252",
    "iso88591": "windows-1252", "iso88599": "windows-1254", "latin9": "iso-8859-15",
    "iso88598i": "iso-8859-8",
    "visual": "iso-8859-8", "logical": "iso-8859-8", "korean": "cp949", "ksc5601": "cp949",
    "ksc56011987": "cp949", "ksc56011989": "cp949", "euckr": "cp949", "windows949": "cp949",
    "chinese": "gb18030", "csgb2312": "gb18030", "gb231280": "gb18030", "eucgb2312cn": "gb18030",
    "shiftjis": "cp932", "csshiftjis": "cp932", "macroman": "macintosh",
    "maccentraleurope": "mac-centraleurope",
    "maclatin2": "mac-centraleurope", "maciceland": "mac-is", "cpis": "cp861",
    // Six signs apart.
    "macturkish": "macintosh",
  ]
}
