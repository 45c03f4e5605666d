/// The encoding names in documents, and the names for decoding.
enum EncodingName {
  /// Returns the name for decoding an encoding that a document calls `label`; nil if it is unknown or
  /// refused.
  static func supported(_ label: String) -> String? {
    // Nearly all documents use this label.
    if label == "utf-8" || label == "UTF-8" { return "utf-8" }
    let bytes = label.utf8.filter { !$0.isXMLSpace }.map(\.asciiLowercased)
    var name = String(decoding: bytes, as: UTF8.self)
    // Publishers write other separators, and "x-" before the name.
    while name.hasPrefix("x-") { name.removeFirst(2) }
    var plain = name
    plain.removeAll { $0 == "-" || $0 == "_" }
    if isRefused(plain) { return nil }
    if let known = aliases[plain] { return known }
    if let known = [name, plain].first(where: { IconvConverter(from: $0) != nil }) { return known }
    let letters = plain.utf8.prefix { $0.isASCIILetter }
    guard codePagePrefixes.contains(String(decoding: letters, as: UTF8.self)) else { return nil }
    let page = "cp" + plain.dropFirst(letters.count)
    return aliases[page] ?? (IconvConverter(from: page) == nil ? nil : page)
  }

  /// Returns whether text that was recognised as ASCII can be in an encoding: false for wide characters and
  /// EBCDIC.
  static func readsASCII(_ name: String) -> Bool { preserves(Array("<?xml".utf8), in: name) }

  /// Returns whether ASCII is the same in an encoding, except for escapes.
  static func isSupersetOfASCII(_ name: String) -> Bool {
    preserves(Array(0x20..<0x7F) + [0x0A, 0x0D, 0x09], in: name)
  }

  /// Returns whether characters have several bytes.
  static func isMultibyte(_ name: String) -> Bool {
    // 0xE0 is a first byte in each such encoding, and a letter in the others.
    name != "windows-1252" && IconvConverter.text(of: [0xE0], in: name) == nil
  }

  private static func preserves(_ text: [UInt8], in name: String) -> Bool {
    name == "utf-8" || name == "windows-1252" || IconvConverter.text(of: text, in: name) == text
  }

  /// Returns whether an encoding is refused. UTF-7 and HZ hide markup in letters, so that no browser reads
  /// them; some names belong to the C library's internal forms.
  private static func isRefused(_ name: String) -> Bool {
    name.contains("utf7") || name.hasPrefix("hz") || name == "char" || name == "wchart" || name == "internal"
  }

  /// The words before a code page number.
  private static let codePagePrefixes: Set<String> = [
    "windows", "win", "ms", "cp", "ibm", "dos", "csibm", "csdos", "cswindows",
  ]

  /// The encodings by their other names, without `-` and `_`.
  ///
  /// They are the browsers' names (WHATWG Encoding), each for the larger character set, and the IANA names
  /// that the C library lacks. The Turkish Macintosh encoding differs from `macintosh` in six characters.
  private static let aliases: [String: String] = {
    var aliases: [String: String] = [:]
    for line in labels.split(separator: "\n") {
      let words = line.split(whereSeparator: \.isWhitespace)
      for label in words.dropFirst() { aliases[String(label)] = String(words[0].dropLast()) }
    }
    return aliases
  }()

  private static let labels = """
    utf-8: utf8 usascii ascii unicode11utf8 unicode20utf8 csutf8 utf8mb4 utf8sig utf8strict cp65001 cp367 \
      ibm367 csascii ansix3.41968 ansix3.41986 iso646us us isoir6 iso646.irv:1991
    windows-1252: iso88591 latin1 l1 windows1252 cp1252 win1252 ansi cp819 ibm819 csisolatin1 isoir100 \
      iso88591:1987 isolatin1 88591 iso88591windows3.1latin1 cswindows30latin1 cswindows1252 western
    windows-1254: iso88599 latin5 csisolatin5 isoir148 iso88599:1989 l5
    windows-874: iso885911 tis620 cstis620 csisothai cswindows874 dos874
    gb18030: gb2312 gbk gb231280 chinese csgb2312 eucgb2312cn cp936 csgbk csgb18030 csiso58gb231280 isoir58 \
      euccn
    cp932: sjis windows31j mskanji shiftjis csshiftjis
    cp949: ksc56011987 euckr korean ksc5601 ksc56011989 windows949 csksc56011987 isoir149 uhc
    utf-16le: utf16
    euc-jp: eucjp cp51932 eucjpms eucjpwin
    iso-2022-jp: iso2022jp csiso2022jp cp50220 cp50221 cp50222 iso2022jpms
    iso-8859-15: latin9 csisolatin9 l9 iso885915euro
    iso-8859-8: iso88598i visual logical csiso88598e iso88598e csiso88598i
    mac-centraleurope: maccentraleurope maclatin2 macce
    mac-is: maciceland macicelandic
    cp861: cpis
    iso-8859-2: iso88592windowslatin2
    windows-1250: cswindows1250
    windows-1251: cswindows1251 amiga1251 ami1251
    iso-8859-6: csiso88596e csiso88596i iso88596e iso88596i
    iso-8859-7: suneugreek
    iso-8859-16: csisolatin10
    koi8-r: koi koi8
    koi8-u: cskoi8u
    big5-hkscs: big5 csbig5 cnbig5 big5eten cp950 big5hkscs csbig5hkscs
    shift_jisx0213: shiftjis2004 sjis2004 shiftjisx0213 csshiftjis2004
    euc-jisx0213: eucjis2004 eucjisx0213
    rk1048: kz1048 cskz1048 strk10482002
    pt154: ptcp154 csptcp154 cp154 cyrillicasian
    cp858: ibm00858 cp00858 ccsid00858 pcmultilingual850+euro
    macintosh: macroman macturkish
    """
}
