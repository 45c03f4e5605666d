import TextOutput
internal import Markup

/// The zones that feeds name by region, with their rules for summer time.
enum DateRegion {
  case fixed(Int)
  case america(Int)
  case europe(Int)
  /// Summer time begins in October in Australia, in September in New Zealand, and ends in April.
  case southern(Int, firstMonth: Int)

  /// Returns minutes east of UTC at a local time.
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

  /// Returns midnight on the `count`th Sunday in a month.
  private static func sunday(_ count: Int, of month: Int, _ year: Int) -> Int {
    let days = CivilDate.days(year: year, month: month, day: 1)
    let weekday = ((days + 4) % 7 + 7) % 7
    return (days + (7 - weekday) % 7 + 7 * (count - 1)) * 86_400
  }

  /// Returns the zone with a name such as `Europe/Paris`.
  static func named(_ name: Span<UInt8>) -> DateRegion? {
    guard name.count <= 32, name.firstIndex(of: UInt8(ascii: "/")) != nil else { return nil }
    return regions[name.text.lowercased()]
  }

  /// The offset in winter, in minutes east of UTC.
  fileprivate var usualOffset: Int {
    switch self {
    case .fixed(let minutes), .america(let minutes), .europe(let minutes), .southern(let minutes, _): minutes
    }
  }

  /// The zones by their IANA names, which contain a slash, and by their names in phrases.
  fileprivate static let regions = Dictionary(
    uniqueKeysWithValues: names.flatMap { region, names in
      names.split(separator: ", ").map { (String($0), region) }
    })

  private static let names: [(DateRegion, String)] = [
    (.america(-540), "america/anchorage, alaska, alaskan"),
    (.america(-480), "america/los_angeles, us/pacific, america/vancouver, pacific"),
    (.america(-420), "america/denver, us/mountain, mountain"),
    (.america(-360), "america/chicago, us/central, central"),
    (.america(-300), "america/new_york, america/toronto, america/detroit, us/eastern, eastern, us eastern"),
    (.america(-240), "america/halifax, atlantic"), (.america(-210), "newfoundland"),
    (
      .europe(0),
      """
      europe/london, europe/dublin, europe/lisbon, gmt, british, irish, western european, western europe
      """
    ),
    (
      .europe(60),
      """
      europe/paris, europe/berlin, europe/madrid, europe/rome, europe/vienna, europe/zurich, \
      europe/brussels, europe/amsterdam, europe/stockholm, europe/oslo, europe/copenhagen, europe/prague, \
      europe/warsaw, europe/budapest, europe/belgrade, europe/luxembourg, w europe, romance, \
      central europe, central european, middle european
      """
    ),
    (
      .europe(120),
      """
      europe/athens, europe/helsinki, europe/bucharest, europe/sofia, europe/kiev, europe/kyiv, \
      europe/vilnius, europe/riga, europe/tallinn, eastern european, e europe, eastern europe, gtb, fle
      """
    ),
    (.fixed(-600), "pacific/honolulu, hawaii, hawaiian"), (.fixed(-420), "america/phoenix, us mountain"),
    (.fixed(-360), "america/mexico_city"), (.fixed(-300), "america/bogota, america/lima"),
    (.fixed(-180), "america/sao_paulo, america/buenos_aires, brasilia, argentina"),
    (.fixed(0), "etc/utc, etc/gmt, greenwich mean, greenwich, coordinated universal, universal"),
    (.fixed(60), "africa/lagos"), (.fixed(120), "africa/johannesburg, south africa"),
    (.fixed(180), "europe/moscow, europe/istanbul, africa/nairobi, moscow, russian"),
    (.fixed(240), "asia/dubai"), (.fixed(300), "asia/karachi"),
    (.fixed(330), "asia/kolkata, asia/calcutta, india, indian"), (.fixed(360), "asia/dhaka"),
    (.fixed(420), "asia/jakarta, asia/bangkok, asia/ho_chi_minh"),
    (
      .fixed(480),
      """
      asia/shanghai, asia/hong_kong, asia/singapore, asia/taipei, asia/manila, australia/perth, china, \
      singapore, australian western
      """
    ),
    (.fixed(540), "asia/tokyo, asia/seoul, japan, tokyo, korea, korean"),
    (.fixed(600), "australia/brisbane"),
    (.southern(570, firstMonth: 10), "australia/adelaide, australian central"),
    (
      .southern(600, firstMonth: 10),
      """
      australia/sydney, australia/melbourne, aus eastern, australian eastern
      """
    ),
    (.southern(720, firstMonth: 9), "pacific/auckland, new zealand"),
  ]
}

/// A zone in words: `Pacific Standard Time`, `Eastern`, `Central European Summer Time`.
enum DateZonePhrase {
  case known(DateRegion, end: Int)
  /// An unknown zone: the moment of such a date is unknown too.
  case unknown

  /// Returns nil if the words at `start` do not name a zone.
  init?(_ text: Span<UInt8>, at start: Int) {
    var scanner = DateScanner(index: start)
    var words: [String] = []
    var ends: [Int] = []
    while words.count < Self.mostWords {
      let word = scanner.word(text)
      if word.isEmpty { break }
      words.append(String(decoding: word, as: UTF8.self))
      ends.append(scanner.index)
      scanner.skipSpaces(text)
    }
    for count in stride(from: words.count, to: 0, by: -1) {
      guard let region = DateRegion.regions[words[..<count].joined(separator: " ")] else { continue }
      self = Self.clock(region, Array(words[count...]), ends, behind: count)
      return
    }
    guard let time = words.firstIndex(of: "time"), time > 0 else { return nil }
    self = .unknown
  }

  /// Selects a region's clock by the words after its name: standard or summer time.
  private static func clock(
    _ region: DateRegion, _ words: [String], _ ends: [Int], behind count: Int
  ) -> DateZonePhrase {
    var used = count
    var region = region
    switch words.first {
    case "standard":
      region = .fixed(region.usualOffset)
      used += 1
    case "daylight", "summer":
      region = .fixed(region.usualOffset + 60)
      used += 1
    default: break
    }
    if used < ends.count, words[used - count] == "time" { used += 1 }
    return .known(region, end: ends[used - 1])
  }

  private static let mostWords = 6
}
