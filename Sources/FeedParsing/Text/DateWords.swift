internal import Markup

/// The names of months and zones.
enum DateWords {
  /// The month that a word in lower case names, in English or a language near it; nil for other words.
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
    0x4E6F76,
    0x446563,
  ]

  private static let english: [[UInt8]] = [
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
    "november",
    "december",
  ].map { Array($0.utf8) }

  /// Beginnings of names in French, German, Spanish, Italian, Portuguese, Dutch, Hungarian, Romanian, Polish,
  /// Czech, Turkish and Indonesian, without accents.
  private static let others: [([UInt8], Int)] = [
    ("janv", 1), ("janu", 1), ("ene", 1), ("gen", 1), ("fev", 2), ("febr", 2), ("mars", 3), ("marz", 3),
    ("marc", 3), ("maart", 3), ("mrt", 3), ("avr", 4), ("abr", 4), ("apri", 4), ("mai", 5), ("mag", 5),
    ("maj", 5),
    ("mei", 5), ("juin", 6), ("juni", 6), ("giu", 6), ("juil", 7), ("juli", 7), ("lug", 7), ("aou", 8),
    ("ago", 8),
    ("augu", 8), ("sett", 9), ("set", 9), ("szept", 9), ("okt", 10), ("ott", 10), ("out", 10), ("octu", 10),
    ("octo", 10), ("outu", 10), ("nove", 11), ("dez", 12), ("dic", 12), ("dece", 12), ("feb", 2), ("mauj", 5),
    ("mayo", 5), ("sept", 9), ("novi", 11), ("mart", 3), ("mrz", 3),
    ("ian", 1), ("iun", 6),
    ("iul", 7), ("noi", 11), ("sty", 1), ("lut", 2), ("kwi", 4), ("cze", 6), ("lip", 7), ("sie", 8),
    ("wrz", 9),
    ("paz", 10), ("lis", 11), ("gru", 12), ("led", 1), ("uno", 2), ("bre", 3), ("dub", 4), ("kve", 5),
    ("cervenec", 7), ("cervn", 6), ("cerven", 6), ("srp", 8), ("zar", 9), ("rij", 10), ("pros", 12),
    ("oca", 1),
    ("sub", 2), ("nis", 4), ("haz", 6), ("tem", 7), ("agu", 8), ("eyl", 9), ("eki", 10), ("kas", 11),
    ("ara", 12), ("des", 12),
  ].map { (Array($0.0.utf8), $0.1) }

  /// Minutes east of UTC of a zone's name; nil when it is unknown.
  static func zone(_ name: Span<UInt8>) -> Int? {
    guard name.count <= 5 else { return nil }
    var key = ""
    for index in 0..<name.count { key.unicodeScalars.append(Unicode.Scalar(name[index].asciiLowercased)) }
    return zones[key]
  }

  private static let zones: [String: Int] = [
    "z": 0, "ut": 0, "utc": 0, "gmt": 0, "wet": 0, "est": -300, "edt": -240, "et": -300, "cst": -360,
    "cdt": -300, "ct": -360, "mst": -420, "mdt": -360, "mt": -420, "pst": -480, "pdt": -420, "pt": -480,
    "ast": -240, "adt": -180, "at": -240, "nst": -210, "ndt": -150, "akst": -540, "akdt": -480, "hst": -600,
    "bst": 60, "ist": 330, "west": 60, "cet": 60, "cest": 120, "met": 60, "mest": 120, "mez": 60, "mesz": 120,
    "eet": 120, "eest": 180, "msk": 180, "msd": 240, "sast": 120, "pkt": 300, "ict": 420, "wib": 420,
    "sgt": 480,
    "hkt": 480, "awst": 480, "jst": 540, "kst": 540, "acst": 570, "acdt": 630, "aest": 600, "aedt": 660,
    "nzst": 720, "nzdt": 780, "brt": -180, "art": -180, "a": -60, "m": -720, "n": 60, "y": 720,
  ]

  /// The text with words of other alphabets put into ours, empty when it is no UTF-8, and the zone in minutes
  /// east of UTC that such words stand for: Korean dates name none.
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
        // The ending of a name that the table has the beginning of.
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

  /// The words by their first letters, in the order of the table.
  private static let foreignByLetter: [Unicode.Scalar: [Word]] = {
    var words: [Unicode.Scalar: [Word]] = [:]
    for (word, plain) in foreign {
      guard let first = word.unicodeScalars.first else { continue }
      words[first, default: []].append(
        Word(letters: Array(word.unicodeScalars), plain: Array(plain.utf8), isKorean: korean.contains(word)))
    }
    return words
  }()

  private static let foreign: [(String, String)] = [
    ("년", "-"), ("월", "-"), ("일", " "), ("오전", "am "), ("오후", "pm "), ("年", "-"), ("月", "-"), ("日", " "),
    ("上午", "am "), ("下午", "pm "), ("时", ":"), ("時", ":"), ("分", ":"), ("秒", " "), ("시", ":"), ("분", ":"),
    ("초", " "),
    ("ιαν", "jan"), ("φεβ", "feb"), ("μάώ", "mar"), ("μαώ", "mar"), ("μαρ", "mar"), ("μάρ", "mar"),
    ("απρ", "apr"),
    ("μάι", "may"), ("μαϊ", "may"), ("μαι", "may"), ("μαΐ", "may"), ("ιούν", "jun"), ("ιον", "jun"),
    ("ιουν", "jun"), ("ιούλ", "jul"), ("ιολ", "jul"), ("ιουλ", "jul"), ("αύγ", "aug"), ("αυγ", "aug"),
    ("σεπ", "sep"), ("οκτ", "oct"), ("νοέ", "nov"), ("νοε", "nov"), ("δεκ", "dec"), ("янв", "jan"),
    ("фев", "feb"), ("мар", "mar"), ("апр", "apr"), ("мая", "may"), ("май", "may"), ("июн", "jun"),
    ("июл", "jul"),
    ("авг", "aug"), ("сен", "sep"), ("окт", "oct"), ("ноя", "nov"), ("дек", "dec"),
    ("січ", "jan"), ("лют", "feb"), ("бер", "mar"), ("кві", "apr"), ("тра", "may"), ("чер", "jun"),
    ("лип", "jul"),
    ("сер", "aug"), ("вер", "sep"), ("жов", "oct"), ("лис", "nov"), ("гру", "dec"), ("юни", "jun"),
    ("юли", "jul"), ("яну", "jan"), ("é", "e"), ("û", "u"),
    ("á", "a"), ("ú", "u"), ("ä", "a"), ("ç", "c"), ("ó", "o"), ("ü", "u"),
    ("ř", "r"), ("ž", "z"), ("ź", "z"), ("š", "s"), ("ś", "s"), ("ş", "s"), ("č", "c"), ("ě", "e"),
    ("è", "e"),
    ("í", "i"), ("ı", "i"), ("ğ", "g"), ("ö", "o"), ("ő", "o"), ("ñ", "n"), ("ů", "u"), ("ű", "u"),
    ("ł", "l"),
    ("\u{A0}", " "),
    ("\u{202F}", " "),
    ("\u{2212}", "-"), ("\u{2013}", "-"),
  ]
}

/// Zones that change their clocks in summer, by name; as far as feeds name them.
enum DateRegion {
  case fixed(Int)
  case america(Int)
  case europe(Int)
  /// Summer begins in October in Australia, in September in New Zealand, and ends in April.
  case southern(Int, firstMonth: Int)

  /// Minutes east of UTC at a local time.
  func offset(atLocalSeconds local: Int, year: Int) -> Int {
    switch self {
    case .fixed(let minutes): return minutes
    case .america(let minutes):
      let (first, last) =
        year >= 2007
        ? (Self.sunday(2, of: 3, year), Self.sunday(1, of: 11, year))
        : (Self.sunday(1, of: 4, year), Self.sunday(1, of: 11, year) - 7 * 86_400)
      return local >= first + 7200 && local < last + 7200 ? minutes + 60 : minutes
    case .europe(let minutes):
      let (first, last) = (
        Self.sunday(1, of: 4, year) - 7 * 86_400, Self.sunday(1, of: 11, year) - 7 * 86_400
      )
      let change = 3600 + minutes * 60
      return local >= first + change && local < last + change + 3600 ? minutes + 60 : minutes
    case .southern(let minutes, let month):
      let first = month == 9 ? Self.sunday(1, of: 10, year) - 7 * 86_400 : Self.sunday(1, of: month, year)
      let last = Self.sunday(1, of: 4, year)
      return local >= first + 7200 || local < last + 3 * 3600 ? minutes + 60 : minutes
    }
  }

  /// Midnight of the `count`th Sunday of a month.
  private static func sunday(_ count: Int, of month: Int, _ year: Int) -> Int {
    let days = DateParser.days(year: year, month: month, day: 1)
    let weekday = ((days + 4) % 7 + 7) % 7
    return (days + (7 - weekday) % 7 + 7 * (count - 1)) * 86_400
  }

  /// The zone of a name such as `Europe/Paris`.
  static func named(_ name: Span<UInt8>) -> DateRegion? {
    guard name.count <= 32, name.firstIndex(of: UInt8(ascii: "/")) != nil else { return nil }
    return regions[name.text.lowercased()]
  }

  private static let regions: [String: DateRegion] = {
    var table: [String: DateRegion] = [
      "america/new_york": .america(-300), "america/toronto": .america(-300),
      "america/detroit": .america(-300),
      "us/eastern": .america(-300), "america/chicago": .america(-360), "us/central": .america(-360),
      "america/denver": .america(-420), "us/mountain": .america(-420), "america/phoenix": .fixed(-420),
      "america/los_angeles": .america(-480), "us/pacific": .america(-480),
      "america/vancouver": .america(-480),
      "america/anchorage": .america(-540), "pacific/honolulu": .fixed(-600),
      "america/sao_paulo": .fixed(-180),
      "america/buenos_aires": .fixed(-180), "america/bogota": .fixed(-300),
      "america/mexico_city": .fixed(-360),
      "europe/london": .europe(0), "europe/dublin": .europe(0), "europe/lisbon": .europe(0),
      "europe/moscow": .fixed(180), "europe/istanbul": .fixed(180), "asia/tokyo": .fixed(540),
      "asia/seoul": .fixed(540), "asia/shanghai": .fixed(480), "asia/hong_kong": .fixed(480),
      "asia/singapore": .fixed(480), "asia/taipei": .fixed(480), "asia/kolkata": .fixed(330),
      "asia/calcutta": .fixed(330), "asia/dubai": .fixed(240), "asia/jakarta": .fixed(420),
      "australia/sydney": .southern(600, firstMonth: 10),
      "australia/melbourne": .southern(600, firstMonth: 10),
      "australia/adelaide": .southern(570, firstMonth: 10), "pacific/auckland": .southern(720, firstMonth: 9),
      "asia/karachi": .fixed(300), "asia/dhaka": .fixed(360), "asia/bangkok": .fixed(420),
      "asia/manila": .fixed(480), "asia/ho_chi_minh": .fixed(420), "africa/johannesburg": .fixed(120),
      "africa/lagos": .fixed(60), "africa/nairobi": .fixed(180), "america/lima": .fixed(-300),
      "america/halifax": .america(-240), "australia/brisbane": .fixed(600), "australia/perth": .fixed(480),
      "etc/utc": .fixed(0),
      "etc/gmt": .fixed(0),
    ]
    for city in [
      "paris", "berlin", "madrid", "rome", "vienna", "zurich", "brussels", "amsterdam", "stockholm",
      "oslo", "copenhagen", "prague", "warsaw", "budapest", "belgrade", "luxembourg",
    ] { table["europe/" + city] = .europe(60) }
    for city in ["athens", "helsinki", "bucharest", "sofia", "kiev", "kyiv", "vilnius", "riga", "tallinn"] {
      table["europe/" + city] = .europe(120)
    }
    return table
  }()
}
