internal import Markup

/// Month and zone names.
enum DateWords {
  /// Returns the month that a word in lower case names, in English or another European language or
  /// Indonesian; nil for other words.
  static func month(_ word: [UInt8]) -> Int? {
    guard word.count >= 3 else { return nil }
    for (index, name) in english.enumerated() where word.count <= name.count {
      if name.starts(with: word) { return index + 1 }
    }
    if word == Array("sept".utf8) { return 9 }
    for (name, month) in others where word.starts(with: name) { return month }
    return nil
  }

  /// The first three letters of the English names, as numbers.
  static let monthsByLetters: [UInt32] = [
    0x4A616E, 0x466562, 0x4D6172, 0x417072, 0x4D6179, 0x4A756E, 0x4A756C, 0x417567, 0x536570, 0x4F6374,
    0x4E6F76, 0x446563,
  ]

  private static let english: [[UInt8]] = [
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
    "november", "december",
  ].map { Array($0.utf8) }

  /// The beginnings of names in French, German, Spanish, Italian, Portuguese, Dutch, Hungarian, Romanian,
  /// Polish, Czech, Turkish and Indonesian, without accents.
  private static let others: [(word: [UInt8], month: Int)] = [
    (1, "janv janu ene gen ian sty led oca"), (2, "fev febr feb lut uno sub"),
    (3, "mars marz marc maart mrt mart mrz bre"), (4, "avr abr apri kwi dub nis"),
    (5, "mai mag maj mei mauj mayo kve"), (6, "juin juni giu iun cze cervn cerven haz"),
    (7, "juil juli lug iul lip cervenec tem"), (8, "aou ago augu sie srp agu"),
    (9, "sett set szept sept wrz zar eyl"), (10, "okt ott out octu octo outu paz rij eki"),
    (11, "nove novi noi lis kas"), (12, "dez dic dece gru pros ara des"),
  ].flatMap { month, words in words.split(separator: " ").map { (Array($0.utf8), month) } }
    // Longer words are first, because some of them begin with a shorter one.
    .sorted { $0.word.count > $1.word.count }

  /// Returns a zone's offset by its name, in minutes east of UTC; nil for unknown names.
  static func zone(_ name: Span<UInt8>) -> Int? {
    guard name.count <= 5 else { return nil }
    var key = ""
    for index in 0..<name.count { key.unicodeScalars.append(Unicode.Scalar(name[index].asciiLowercased)) }
    return zones[key]
  }

  private static let zones = Dictionary(
    uniqueKeysWithValues: zoneNames.flatMap { minutes, names in
      names.split(separator: " ").map { (String($0), minutes) }
    })

  private static let zoneNames: [(Int, String)] = [
    (-720, "m"), (-600, "hst"), (-540, "akst"), (-480, "pst pt akdt"), (-420, "mst mt pdt"),
    (-360, "cst ct mdt"), (-300, "est et cdt"), (-240, "edt ast at"), (-210, "nst"),
    (-180, "adt brt art"), (-150, "ndt"), (-60, "a"), (0, "z ut utc gmt wet"),
    (60, "bst west cet met mez n"), (120, "cest mest mesz eet sast"), (180, "eest msk"), (240, "msd"),
    (300, "pkt"), (330, "ist"), (420, "ict wib"), (480, "sgt hkt awst"), (540, "jst kst"),
    (570, "acst"), (600, "aest"), (630, "acdt"), (660, "aedt"), (720, "nzst y"), (780, "nzdt"),
  ]

  /// Replaces words in other alphabets by English ones.
  ///
  /// - Returns: The text, empty if it is not UTF-8, and the zone in minutes east of UTC. The zone is 540 for
  ///   Korean dates, which name no zone, else 0.
  static func translating(_ text: Span<UInt8>) -> (text: [UInt8], zone: Int) {
    let letters = Array(text.text.lowercased().unicodeScalars)
    var result: [UInt8] = []
    var zone = 0
    var index = 0
    while index < letters.count {
      let letter = letters[index]
      if letter.isASCII {
        result.append(UInt8(truncatingIfNeeded: letter.value))
        index += 1
      } else if let word = foreignByLetter[letter]?.first(where: {
        letters[index...].starts(with: $0.letters)
      }) {
        result.append(contentsOf: word.plain)
        if word.isKorean { zone = 540 }
        index += word.letters.count
        // The rest of the name is skipped, because the table has only its beginning.
        while word.plain.count == 3, index < letters.count, letters[index].properties.isAlphabetic {
          index += 1
        }
      } else {
        index += 1
      }
    }
    return (result, zone)
  }

  private static let korean: Set<String> = ["년", "월", "오전", "오후"]

  private struct Word {
    let letters: [Unicode.Scalar]
    let plain: [UInt8]
    let isKorean: Bool
  }

  /// The words by their first letters.
  private static let foreignByLetter: [Unicode.Scalar: [Word]] = {
    var words: [Unicode.Scalar: [Word]] = [:]
    for (plain, all) in foreign {
      for word in all.split(separator: " ") {
        guard let first = word.unicodeScalars.first else { continue }
        words[first, default: []].append(
          Word(
            letters: Array(word.unicodeScalars), plain: Array(plain.utf8),
            isKorean: korean.contains(String(word))))
      }
    }
    return words
  }()

  private static let foreign: [(String, String)] = [
    ("-", "년 월 年 月 \u{2212} \u{2013}"), (" ", "일 日 秒 초 \u{A0} \u{202F}"), ("am ", "오전 上午"),
    ("pm ", "오후 下午"), (":", "时 時 分 시 분"), ("jan", "ιαν янв січ яну"), ("feb", "φεβ фев лют"),
    ("mar", "μάώ μαώ μαρ μάρ мар бер"), ("apr", "απρ апр кві"), ("may", "μάι μαϊ μαι μαΐ мая май тра"),
    ("jun", "ιούν ιον ιουν июн чер юни"), ("jul", "ιούλ ιολ ιουλ июл лип юли"),
    ("aug", "αύγ αυγ авг сер"), ("sep", "σεπ сен вер"), ("oct", "οκτ окт жов"),
    ("nov", "νοέ νοε ноя лис"), ("dec", "δεκ дек гру"), ("e", "é ě è"), ("u", "û ú ü ů ű"),
    ("a", "á ä"), ("c", "ç č"), ("o", "ó ö ő"), ("r", "ř"), ("z", "ž ź"), ("s", "š ś ş"), ("i", "í ı"),
    ("g", "ğ"), ("n", "ñ"), ("l", "ł"),
  ]
}
