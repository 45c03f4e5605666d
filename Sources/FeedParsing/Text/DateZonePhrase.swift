internal import Markup

/// A zone in words: `Pacific Standard Time`, `Eastern`, `Central European Summer Time`.
enum DateZonePhrase {
  case known(DateRegion, end: Int)
  /// It is a zone, but nobody knows which: a date of that zone is no moment.
  case unknown

  /// Nil where the words at `start` name no zone.
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
      guard let region = Self.regions[words[..<count].joined(separator: " ")] else { continue }
      self = Self.clock(region, Array(words[count...]), ends, behind: count)
      return
    }
    guard let time = words.firstIndex(of: "time"), time > 0 else { return nil }
    self = .unknown
  }

  /// What stands behind the name of a region: which of its clocks is meant.
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

  private static let regions: [String: DateRegion] = [
    "eastern": .america(-300), "us eastern": .america(-300), "central": .america(-360),
    "mountain": .america(-420), "us mountain": .fixed(-420), "pacific": .america(-480),
    "alaska": .america(-540), "alaskan": .america(-540), "hawaii": .fixed(-600), "hawaiian": .fixed(-600),
    "atlantic": .america(-240), "newfoundland": .america(-210), "greenwich mean": .fixed(0),
    "greenwich": .fixed(0), "coordinated universal": .fixed(0), "universal": .fixed(0), "gmt": .europe(0),
    "british": .europe(0), "irish": .europe(0), "western european": .europe(0), "western europe": .europe(0),
    "w europe": .europe(60), "romance": .europe(60), "central europe": .europe(60),
    "central european": .europe(60), "middle european": .europe(60), "eastern european": .europe(120),
    "e europe": .europe(120), "eastern europe": .europe(120), "gtb": .europe(120), "fle": .europe(120),
    "moscow": .fixed(180), "russian": .fixed(180), "south africa": .fixed(120), "india": .fixed(330),
    "indian": .fixed(330), "china": .fixed(480), "singapore": .fixed(480), "japan": .fixed(540),
    "tokyo": .fixed(540), "korea": .fixed(540), "korean": .fixed(540), "brasilia": .fixed(-180),
    "argentina": .fixed(-180), "australian western": .fixed(480),
    "australian central": .southern(570, firstMonth: 10),
    "aus eastern": .southern(600, firstMonth: 10), "australian eastern": .southern(600, firstMonth: 10),
    "new zealand": .southern(720, firstMonth: 9),
  ]
}

extension DateRegion {
  /// Minutes east of UTC in winter.
  fileprivate var usualOffset: Int {
    switch self {
    case .fixed(let minutes), .america(let minutes), .europe(let minutes), .southern(let minutes, _): minutes
    }
  }
}
