internal import Markup

/// The name families in feeds.
enum Vocabulary: UInt8 {
  /// RSS 2.0 and 0.91 to 0.94: without a namespace, or with a namespace in use for it.
  case rss
  case rss10, rss090, atom, atom03, rdf, content, dublinCore, dublinCoreTerms, iTunes, media, xhtml,
    syndication, xml
  case podcast, slash, wfw, thread, app, admin
  /// GeoRSS.
  case geoRSS
  /// Coordinates: GML, W3C Basic Geo, ICBM.
  case geo
  /// Creative Commons.
  case license
  /// FeedBurner and Pheedo, which replace links by their own.
  case burner
  case other

  /// RSS in any version.
  var isRSS: Bool { self == .rss || self == .rss10 || self == .rss090 }
  /// Atom in any version.
  var isAtom: Bool { self == .atom || self == .atom03 }
  /// RSS or Atom.
  var isCore: Bool { isRSS || isAtom }
}

/// The local names with a meaning in feeds.
enum LocalName: UInt8, CaseIterable {
  case none
  case title, link, guid, id, description, summary, content, body, div, pubDate, published, issued,
    updated, modified, created, date, author, contributor, creator, name, email, uri, url, homepage,
    category, subject, keywords, enclosure, source, comments, image, thumbnail, group, language,
    lang, base, href, rel, type, mode, src, scheme, term, label, text, length, isPermaLink, about,
    resource, version, channel, item, entry, feed, rss, rdf, items, textinput, managingEditor,
    webMaster, tagline, subtitle, logo, icon, ttl, skipHours, hour, skipDays, day, generator,
    copyright, rights, updatePeriod, updateFrequency, updateBase, encoded, html, head, medium,
    publisher, owner, info, fullitem, lastBuildDate, cloud, docs, rating, width, height, player,
    credit, media, explicit, duration, abstract, accrualPeriodicity, available, value, tag,
    origLink, valid, domain, port, path, registerProcedure, `protocol`, season, episode, episodeType, block,
    complete, newFeedURL, transcript, chapters, person, soundbite, role, img, startTime, display, fileSize,
    hreflang, department, hitParade, section, total, inReplyTo, ref, count, commentRSS, comment, point, place,
    pos, lat,
    long, lon, latitude, longitude, license, funding, locked, archive, control, draft, location,
    generatorAgent
  case order, alternateEnclosure, integrity, socialInteract, valueRecipient, txt, trailer, geo, osm, country,
    bitrate, codecs, isDefault, contentType, accountID, accountURL, priority, method, suggested, address,
    split, fee, customKey, customValue, purpose
  case community, starRating, statistics, tags, average, min, max, views, favorites, hash, algorithm,
    framerate, samplingRate, channels, expression, embed
  case polygon, line, box, circle, lineString, linearRing, exterior, envelope, posList, lowerCorner,
    upperCorner
}

/// A name's meaning: its vocabulary and its local part.
struct ElementName: Equatable {
  var vocabulary: Vocabulary
  var local: LocalName

  init(_ vocabulary: Vocabulary, _ local: LocalName) {
    self.vocabulary = vocabulary
    self.local = local
  }

  /// The same name in RSS: the parts of persons have the same meaning in all vocabularies.
  var inCore: ElementName { ElementName(.rss, local) }
}

extension LocalName {
  /// The name's spelling in documents, which may also use other letter cases.
  var spelling: String { String(decoding: Self.spellings[Int(rawValue)], as: UTF8.self) }

  /// The spellings in the order of the cases. Reflecting the case names would cost two million instructions
  /// at each start.
  private static let spellings = """
    none title link guid id description summary content body div pubDate published issued updated modified
    created date author contributor creator name email uri url homepage category subject keywords enclosure
    source comments image thumbnail group language lang base href rel type mode src scheme term label text
    length isPermaLink about resource version channel item entry feed rss rdf items textinput
    managingEditor webMaster tagline subtitle logo icon ttl skipHours hour skipDays day generator copyright
    rights updatePeriod updateFrequency updateBase encoded html head medium publisher owner info fullitem
    lastBuildDate cloud docs rating width height player credit media explicit duration abstract
    accrualPeriodicity available value tag origLink valid domain port path registerProcedure protocol
    season episode episodeType block complete new-feed-url transcript chapters person soundbite role img
    startTime display fileSize hreflang department hit_parade section total in-reply-to ref count
    commentRss comment point where pos lat long lon latitude longitude license funding locked archive
    control draft location generatorAgent order alternateEnclosure integrity socialInteract valueRecipient
    txt trailer geo osm country bitrate codecs default contentType accountID accountURL priority method
    suggested address split fee customKey customValue purpose community starRating statistics tags average
    min max views favorites hash algo framerate samplingRate channels expression embed polygon line box
    circle lineString linearRing exterior envelope posList lowerCorner upperCorner
    """.utf8.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }.map { Array($0) }

  /// Further spellings.
  private static let alternatives: [(String, LocalName)] = [
    ("newFeedURL", .newFeedURL), ("licence", .license), ("isDefault", .isDefault),
  ]

  /// Returns the local name with this spelling, in any letter case.
  static func named(_ bytes: Span<UInt8>) -> LocalName {
    bytes.count <= 24 ? byHash[bytes.hashIgnoringCase] ?? .none : .none
  }

  private static let byHash: [UInt64: LocalName] = {
    let names =
      zip(spellings, allCases).map { ($0, $1) } + alternatives.map { (Array($0.0.utf8), $0.1) }
    return Dictionary(uniqueKeysWithValues: names.map { ($0.0.span.hashIgnoringCase, $0.1) })
  }()
}
