import Foundation
import TestSupport
import Testing
import TextSearch

@Suite struct FoldedTextTests {
  private static func words(_ text: String) -> [String] {
    SearchText.folded(text).split(separator: " ").map(String.init)
  }

  /// The characters that Unicode 15 assigns, besides those that have no words.
  private static let scalars = (0..<0x3_2000 as Range<UInt32>).compactMap(Unicode.Scalar.init).filter {
    scalar in
    scalar.properties.age.map { $0.major <= 15 } == true && scalar.properties.generalCategory != .privateUse
  }

  @Test func `words of words are the same words`() {
    for scalar in Self.scalars {
      let words = SearchText.folded("a\(scalar)b \(scalar)")
      #expect(SearchText.folded(words).utf8.elementsEqual(words.utf8), "\(scalar.value)")
    }
  }

  @Test func `upper case and lower case are the same`() {
    for scalar in Self.scalars where scalar.properties.isCased {
      let words = Self.words("\(scalar)")
      for mapping in [scalar.properties.lowercaseMapping, scalar.properties.uppercaseMapping] {
        // The iota below a Greek letter is a mark, and a letter in capitals.
        let isOfOtherVersion = mapping.unicodeScalars.contains {
          $0.properties.age.map { $0.major > 15 } ?? true
        }
        let hasIota = "\(scalar)".decomposedStringWithCanonicalMapping.unicodeScalars.contains("\u{345}")
        if !isOfOtherVersion, !hasIota { #expect(words == Self.words(mapping), "\(scalar.value)") }
      }
    }
  }

  @Test func `characters with the same compatibility decomposition are the same`() {
    for scalar in Self.scalars {
      let text = "\(scalar)"
      // A mark without a letter, such as a spacing accent, is no word in either form.
      #expect(
        Self.words(text) == Self.words(text.decomposedStringWithCompatibilityMapping), "\(scalar.value)")
      #expect(Self.words(text) == Self.words(text.decomposedStringWithCanonicalMapping), "\(scalar.value)")
    }
  }

  @Test func `characters that nobody sees separate no words`() {
    for scalar in Self.scalars where scalar.properties.isDefaultIgnorableCodePoint {
      #expect(Self.words("a\(scalar)b") == ["ab"], "\(scalar.value)")
    }
  }

  @Test func `letters and digits are words, and nothing else`() {
    for scalar in Self.scalars {
      switch scalar.properties.generalCategory {
      case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .otherLetter, .decimalNumber, .letterNumber,
        .otherNumber:
        // Marks on a space or a kashida, in a form of their own, and other kashidas.
        let first = "\(scalar)".decomposedStringWithCompatibilityMapping.unicodeScalars.first ?? scalar
        let isIgnorable =
          scalar.properties.isDefaultIgnorableCodePoint || first == " " || first == "\u{640}"
          || (0x883...0x885).contains(scalar.value)
        #expect(Self.words("\(scalar)").isEmpty == isIgnorable, "\(scalar.value)")
      case .spaceSeparator, .lineSeparator, .paragraphSeparator, .control, .dashPunctuation, .openPunctuation,
        .closePunctuation:
        #expect(Self.words("a\(scalar)b").first == "a", "\(scalar.value)")
      default: break
      }
    }
  }

  @Test(arguments: [
    ("It's C++, foo-bar & a_b", ["it", "s", "c", "foo", "bar", "a", "b"]), ("2½ x²", ["21", "2", "x2"]),
    ("日本語", ["日", "本", "語"]), ("한국어", ["한", "국", "어"]), ("हिन्दी में", ["हिन्दी", "में"]), ("", []), ("…", []),
  ])
  func `a text has these words`(text: String, words: [String]) {
    #expect(Self.words(text) == words)
  }

  @Test func `words have their places in the text, one after the other`() {
    let text = Array("Ça va 2½ 日本🚀 e\u{301}te\u{301}.".utf8)
    var folded = FoldedText(keepsPlaces: true)
    folded.append(text.span)
    var places: [String] = []
    var end = 0
    folded.bytes.span.forEachFoldedWord { word, _ in
      let place = folded.place(of: word)
      #expect(place.lowerBound >= end)
      end = place.upperBound
      places.append(String(decoding: text[place], as: UTF8.self))
    }
    #expect(places.joined(separator: "|").utf8.elementsEqual("Ça|va|2|½|日|本|🚀|e\u{301}te\u{301}".utf8))
  }

  @Test(arguments: 0..<200)
  func `any bytes have words that are UTF-8`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let bytes = (0..<200).map { _ in
      Bool.random(using: &random)
        ? UInt8.random(in: 0...255, using: &random) : UInt8.random(in: 0xE0...0xF4, using: &random)
    }
    var folded = FoldedText(keepsPlaces: true)
    folded.append(bytes.span)
    #expect(String(validating: folded.bytes, as: UTF8.self) != nil)
    folded.bytes.span.forEachFoldedWord { word, _ in
      #expect(folded.place(of: word).upperBound <= bytes.count)
    }
  }
}
