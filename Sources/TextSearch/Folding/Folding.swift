/// The folding that makes words equal when they differ only in case, accents, points, or equivalent forms.
///
/// A character is decomposed (UAX 15, compatibility), its marks are removed, and its case is folded. Vowel
/// signs stay, as do the kana sound marks, which make other letters. See `Tools/Unicode/folding-data`.
struct Folding: Sendable {
  /// The treatment of a character.
  enum Kind: UInt16 {
    /// Stays as part of a word.
    case letter
    /// Separates words.
    case separator
    /// Is a word by itself: scripts without spaces between words, Hangul, and emoji.
    case word
    /// Changes the kana before it.
    case voicedMark, semivoicedMark
    /// Begins a Hangul syllable.
    case initial
  }

  static let shared = Folding()

  /// The first value that is a text number and not a ``Kind``.
  private static let firstText: UInt16 = 16
  private static let pageSize = 256

  /// The beginning of each page in ``values``.
  private var pages: [UInt32] = []
  /// The characters' values: a kind, or a text instead of the character.
  private var values: [UInt16] = []
  /// The texts, one after the other. Spaces in them separate words.
  private(set) var texts: [UInt8] = []
  private var ends: [UInt32] = [0]

  private let voiced = Self.pairs(FoldingData.voiced)
  private let semivoiced = Self.pairs(FoldingData.semivoiced)

  private init() {
    // One shared page for each kind, because many pages have a single kind.
    for kind in Kind.letter.rawValue...Kind.word.rawValue {
      values += [UInt16](repeating: kind, count: Self.pageSize)
    }
    pages = [UInt32](repeating: 0, count: 0x11_0000 / Self.pageSize)
    var reader = Reader(FoldingData.runs)
    var scalar = 0x80
    while let length = reader.number() {
      readRun(scalar..<scalar + Int(length), &reader)
      scalar += Int(length)
    }
  }

  /// Reads the values for a run of characters.
  private mutating func readRun(_ scalars: Range<Int>, _ reader: inout Reader) {
    let kind = reader.number() ?? 0
    switch kind {
    // Other characters at a distance; words of their own at a distance.
    case 6, 7:
      let distance = reader.signed()
      for scalar in scalars {
        let other = UInt32(truncatingIfNeeded: scalar + distance)
        set(add(kind == 7 ? [0x20, other, 0x20] : [other]), scalar..<scalar + 1)
      }
    case 8:
      let count = reader.number() ?? 0
      set(add((0..<count).map { _ in reader.number() ?? 0 }), scalars)
    default: set(UInt16(truncatingIfNeeded: kind), scalars)
    }
  }

  /// Sets the value for a run of characters.
  private mutating func set(_ value: UInt16, _ scalars: Range<Int>) {
    var scalar = scalars.lowerBound
    while scalar < scalars.upperBound {
      let page = scalar / Self.pageSize
      let end = min(scalars.upperBound, (page + 1) * Self.pageSize)
      if end - scalar == Self.pageSize, value <= Kind.word.rawValue {
        pages[page] = UInt32(value) * UInt32(Self.pageSize)
      } else {
        let isShared = pages[page] <= UInt32(Kind.word.rawValue) * UInt32(Self.pageSize)
        if isShared {
          let start = Int(pages[page])
          pages[page] = UInt32(values.count)
          values += values[start..<start + Self.pageSize]
        }
        let start = Int(pages[page])
        for place in scalar % Self.pageSize..<scalar % Self.pageSize + end - scalar {
          values[start + place] = value
        }
      }
      scalar = end
    }
  }

  private mutating func add(_ text: [UInt32]) -> UInt16 {
    for scalar in text.compactMap(Unicode.Scalar.init) { texts += String(scalar).utf8 }
    ends.append(UInt32(texts.count))
    return Self.firstText + UInt16(truncatingIfNeeded: ends.count - 2)
  }

  private static func pairs(_ text: String) -> [UInt32: UInt32] {
    let scalars = text.unicodeScalars.map(\.value)
    return Dictionary(
      stride(from: 0, to: scalars.count - 1, by: 2).map { (scalars[$0], scalars[$0 + 1]) }
    ) { $1 }
  }

  // MARK: Characters

  /// The folded character: a kind, or the place of another text in ``texts``.
  enum Result {
    case kind(Kind)
    case text(Range<Int>)
  }

  /// - Parameter scalar: A Unicode scalar value.
  @inline(__always)
  func result(of scalar: UInt32) -> Result {
    let value = values[Int(pages[Int(scalar >> 8)]) + Int(scalar & 0xFF)]
    if value < Self.firstText { return .kind(Kind(rawValue: value) ?? .letter) }
    let text = Int(value - Self.firstText)
    return .text(Int(ends[text])..<Int(ends[text + 1]))
  }

  /// Returns the kana composed of another kana and a sound mark; nil if none exists.
  func composed(_ kana: UInt32, _ mark: Kind) -> UInt32? {
    mark == .voicedMark ? voiced[kana] : mark == .semivoicedMark ? semivoiced[kana] : nil
  }

  /// Returns the Hangul syllable of two or three letters (Unicode Standard, section 3.12); nil for other
  /// characters.
  static func syllable(_ initial: UInt32, _ vowel: UInt32, final: UInt32?) -> UInt32? {
    guard (0x1100...0x1112).contains(initial), (0x1161...0x1175).contains(vowel) else { return nil }
    let open = 0xAC00 + ((initial - 0x1100) * 21 + vowel - 0x1161) * 28
    guard let final, (0x11A8...0x11C2).contains(final) else { return open }
    return open + final - 0x11A7
  }

  /// Reads numbers in Base64. Each byte contributes seven bits, the lowest first.
  private struct Reader {
    private var letters: String.UTF8View.Iterator
    private var bits: UInt32 = 0
    private var count = 0

    init(_ text: String) { letters = text.utf8.makeIterator() }

    private mutating func byte() -> UInt8? {
      while count < 8 {
        guard let letter = letters.next() else { return nil }
        guard let value = Self.value(of: letter) else { continue }
        bits = bits << 6 | value
        count += 6
      }
      count -= 8
      return UInt8(truncatingIfNeeded: bits >> UInt32(count))
    }

    private static func value(of letter: UInt8) -> UInt32? {
      switch letter {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(letter - UInt8(ascii: "A"))
      case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(letter - UInt8(ascii: "a")) + 26
      case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(letter - UInt8(ascii: "0")) + 52
      case UInt8(ascii: "+"): 62
      case UInt8(ascii: "/"): 63
      default: nil
      }
    }

    mutating func number() -> UInt32? {
      var (value, shift): (UInt32, UInt32) = (0, 0)
      while let byte = byte() {
        value |= UInt32(byte & 0x7F) << shift
        if byte < 0x80 { return value }
        shift += 7
      }
      return nil
    }

    mutating func signed() -> Int {
      let value = Int(number() ?? 0)
      return value & 1 == 0 ? value >> 1 : -(value >> 1) - 1
    }
  }
}
