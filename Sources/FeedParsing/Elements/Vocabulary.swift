internal import Markup

/// The families of names in feeds.
enum Vocabulary: UInt8 {
  /// RSS 2.0 and 0.91 to 0.94: without a namespace, or with one of those in use.
  case rss
  case rss10, rss090, atom, atom03, rdf, content, dublinCore, dublinCoreTerms, iTunes, media, xhtml,
    syndication, xml
  case podcast, slash, wfw, thread, app, history, admin
  /// GeoRSS.
  case geoRSS
  /// Coordinates of places: GML, W3C Basic Geo, ICBM.
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
enum LocalName: UInt8 {
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

/// The meaning of a name: its vocabulary and its local part.
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
  /// Returns a local name by its spelling in any case.
  static func named(_ bytes: Span<UInt8>) -> LocalName {
    guard bytes.count <= 24 else { return .none }
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for index in 0..<bytes.count { hash = (hash ^ UInt64(bytes[index].asciiLowercased)) &* 0x100_0000_01B3 }
    return byHash[hash] ?? .none
  }

  private static let byHash: [UInt64: LocalName] = {
    var table: [UInt64: LocalName] = [:]
    for (text, name) in spellings {
      var hash: UInt64 = 0xCBF2_9CE4_8422_2325
      for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
      table[hash] = name
    }
    return table
  }()

  private static let spellings: [(String, LocalName)] = [
    ("title", .title), ("link", .link), ("guid", .guid), ("id", .id), ("description", .description),
    ("summary", .summary), ("content", .content), ("body", .body), ("div", .div),
    (
      "pubdate",
      .pubDate
    ), ("published", .published), ("issued", .issued), ("updated", .updated),
    (
      "modified",
      .modified
    ), ("created", .created), ("date", .date), ("author", .author),
    (
      "contributor",
      .contributor
    ), ("creator", .creator), ("name", .name), ("email", .email), ("uri", .uri),
    (
      "url",
      .url
    ), ("homepage", .homepage), ("category", .category), ("subject", .subject),
    (
      "keywords",
      .keywords
    ), ("enclosure", .enclosure), ("source", .source), ("comments", .comments),
    (
      "image",
      .image
    ), ("thumbnail", .thumbnail), ("group", .group), ("language", .language), ("lang", .lang),
    ("base", .base), ("href", .href), ("rel", .rel), ("type", .type), ("mode", .mode),
    (
      "src",
      .src
    ), ("scheme", .scheme), ("term", .term), ("label", .label), ("text", .text),
    (
      "length",
      .length
    ), ("ispermalink", .isPermaLink), ("about", .about), ("resource", .resource),
    (
      "version",
      .version
    ), ("channel", .channel), ("item", .item), ("entry", .entry), ("feed", .feed),
    (
      "rss",
      .rss
    ), ("rdf", .rdf), ("items", .items), ("textinput", .textinput),
    (
      "managingeditor",
      .managingEditor
    ), ("webmaster", .webMaster), ("tagline", .tagline), ("subtitle", .subtitle),
    ("logo", .logo), ("icon", .icon), ("ttl", .ttl), ("skiphours", .skipHours), ("hour", .hour),
    ("skipdays", .skipDays), ("day", .day), ("generator", .generator), ("copyright", .copyright),
    ("rights", .rights), ("updateperiod", .updatePeriod), ("updatefrequency", .updateFrequency),
    ("updatebase", .updateBase), ("encoded", .encoded), ("html", .html), ("head", .head),
    (
      "medium",
      .medium
    ), ("publisher", .publisher), ("owner", .owner), ("info", .info),
    (
      "fullitem",
      .fullitem
    ), ("lastbuilddate", .lastBuildDate), ("cloud", .cloud), ("docs", .docs),
    (
      "rating",
      .rating
    ), ("width", .width), ("height", .height), ("player", .player), ("credit", .credit),
    ("media", .media), ("explicit", .explicit), ("duration", .duration), ("abstract", .abstract),
    ("accrualperiodicity", .accrualPeriodicity), ("available", .available), ("value", .value),
    ("tag", .tag), ("origlink", .origLink), ("valid", .valid), ("domain", .domain), ("port", .port),
    ("path", .path), ("registerprocedure", .registerProcedure), ("protocol", .protocol),
    ("season", .season), ("episode", .episode), ("episodetype", .episodeType), ("block", .block),
    ("complete", .complete), ("new-feed-url", .newFeedURL), ("newfeedurl", .newFeedURL),
    ("transcript", .transcript), ("chapters", .chapters), ("person", .person),
    ("soundbite", .soundbite), ("role", .role), ("img", .img), ("starttime", .startTime),
    ("display", .display), ("filesize", .fileSize), ("hreflang", .hreflang),
    ("department", .department), ("hit_parade", .hitParade), ("section", .section), ("total", .total),
    ("in-reply-to", .inReplyTo), ("ref", .ref), ("count", .count), ("commentrss", .commentRSS),
    ("comment", .comment), ("point", .point), ("where", .place), ("pos", .pos), ("lat", .lat),
    ("long", .long), ("lon", .lon), ("latitude", .latitude), ("longitude", .longitude),
    ("license", .license), ("licence", .license), ("funding", .funding), ("locked", .locked),
    ("archive", .archive), ("control", .control), ("draft", .draft), ("location", .location),
    ("generatoragent", .generatorAgent),
    ("order", .order), ("alternateenclosure", .alternateEnclosure), ("integrity", .integrity),
    ("socialinteract", .socialInteract), ("valuerecipient", .valueRecipient), ("txt", .txt),
    ("trailer", .trailer), ("geo", .geo), ("osm", .osm), ("country", .country), ("bitrate", .bitrate),
    ("codecs", .codecs), ("default", .isDefault), ("isdefault", .isDefault),
    ("contenttype", .contentType), ("accountid", .accountID), ("accounturl", .accountURL),
    ("priority", .priority), ("method", .method), ("suggested", .suggested), ("address", .address),
    ("split", .split), ("fee", .fee), ("customkey", .customKey), ("customvalue", .customValue),
    ("purpose", .purpose), ("community", .community), ("starrating", .starRating),
    ("statistics", .statistics), ("tags", .tags), ("average", .average), ("min", .min), ("max", .max),
    ("views", .views), ("favorites", .favorites), ("hash", .hash), ("algo", .algorithm),
    ("framerate", .framerate), ("samplingrate", .samplingRate), ("channels", .channels),
    ("expression", .expression), ("embed", .embed), ("polygon", .polygon), ("line", .line),
    ("box", .box), ("circle", .circle), ("linestring", .lineString), ("linearring", .linearRing),
    ("exterior", .exterior), ("envelope", .envelope), ("poslist", .posList),
    ("lowercorner", .lowerCorner), ("uppercorner", .upperCorner),
  ]
}
