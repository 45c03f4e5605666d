/// The elements that fill fields, with their places, ranks and text kinds.
///
/// Reading, the repair of damaged documents, and the reference page use this table.
package enum ElementTable {
  /// The place where an element occurs.
  enum Place: UInt8, CaseIterable {
    case feed, item, image, person
  }

  /// Elements from one vocabulary with one rule.
  struct Row {
    let place: Place
    let vocabularies: [Vocabulary]
    let names: [LocalName]
    let rule: ElementRule
    /// True if an element without an end tag that does not belong to the place ends before these elements.
    let endsOthers: Bool
  }

  /// Returns whether an element that does not belong to a place ends before this one.
  static func endsOthers(_ place: Place, _ name: ElementName) -> Bool { fields[index(place, name)] }

  /// The rules, indexed by ``index(_:_:)``.
  static let rules = table(ElementRule.skip) { $0.rule }
  private static let fields = table(false) { $0.endsOthers }

  /// One place's size in the tables: all vocabularies with all local names.
  private static let placeSize = vocabularySize * (Int(Vocabulary.other.rawValue) + 1)
  private static let vocabularySize = 256

  /// Returns the index for an element at a place.
  @inline(__always)
  static func index(_ place: Place, _ name: ElementName) -> Int {
    Int(place.rawValue) * placeSize + Int(name.vocabulary.rawValue) * vocabularySize
      + Int(name.local.rawValue)
  }

  private static func table<Value>(_ empty: Value, _ value: (Row) -> Value) -> [Value] {
    var table = [Value](repeating: empty, count: Place.allCases.count * placeSize)
    for row in rows {
      for vocabulary in row.vocabularies {
        for name in row.names { table[index(row.place, ElementName(vocabulary, name))] = value(row) }
      }
    }
    return table
  }
}

// MARK: - The rows

extension ElementTable {
  static let rss: [Vocabulary] = [.rss, .rss10, .rss090]
  static let atom: [Vocabulary] = [.atom, .atom03]
  static let core = rss + atom
  private static let dublinCore: [Vocabulary] = [.dublinCore, .dublinCoreTerms]

  /// - Parameter endsOthers: False for elements that are also used elsewhere.
  private static func row(
    _ place: Place, _ vocabularies: [Vocabulary], _ names: [LocalName], _ rule: ElementRule,
    endsOthers: Bool = true
  ) -> Row {
    Row(place: place, vocabularies: vocabularies, names: names, rule: rule, endsOthers: endsOthers)
  }

  static let rows = feedRows + feedModuleRows + feedPartRows + itemRows + itemModuleRows

  private static let feedRows: [Row] = [
    row(.feed, core, [.item, .entry], .special(.item), endsOthers: false),
    row(.feed, core, [.items, .channel], .open(.feed), endsOthers: false),
    row(.feed, rss, [.title], .text(.feedTitle, .typed)),
    row(.feed, atom, [.title], .text(.feedTitle, .typed, rank: 1)),
    row(.feed, core, [.link], .special(.feedLink)),
    row(.feed, core, [.description, .subtitle, .tagline], .text(.feedDescription, .typed)),
    row(.feed, rss, [.image], .open(.image)),
    row(.feed, atom, [.image], .skip),
    row(.feed, core, [.logo], .text(.feedIcon, .plain)),
    row(.feed, core, [.icon], .text(.feedIcon, .plain, rank: 1)),
    row(.feed, core, [.language], .text(.feedLanguage, .plain)),
    row(.feed, core, [.managingEditor, .author], .author(rank: 0)),
    row(.feed, core, [.copyright, .rights], .text(.feedRights, .typed)),
    row(.feed, core, [.generator], .special(.generator)),
    row(.feed, core, [.pubDate, .published], .text(.feedPublished, .plain, rank: 2)),
    row(.feed, core, [.issued], .text(.feedPublished, .plain, rank: 2), endsOthers: false),
    row(.feed, core, [.lastBuildDate, .updated, .modified], .text(.feedModified, .plain)),
    row(.feed, core, [.ttl], .text(.timeToLive, .plain)),
    row(.feed, core, [.skipHours], .open(.skipHours)),
    row(.feed, core, [.skipDays], .open(.skipDays)),
    row(.feed, core, [.id], .text(.feedID, .plain)),
    row(.feed, core, [.docs, .cloud, .contributor], .skip),
    row(.feed, core, [.webMaster], .author(rank: 4)),
    row(.feed, core, [.category], .special(.feedCategory)),
    row(.feed, rss, [.textinput], .skip, endsOthers: false),
  ]

  private static let feedModuleRows: [Row] = [
    row(.feed, dublinCore, [.title], .text(.feedTitle, .html, rank: 2)),
    row(.feed, dublinCore, [.description], .text(.feedDescription, .html, rank: 1)),
    row(.feed, dublinCore, [.language], .text(.feedLanguage, .plain, rank: 1)),
    row(.feed, dublinCore, [.creator, .author], .author(rank: 1)),
    row(.feed, dublinCore, [.rights], .text(.feedRights, .html, rank: 1)),
    row(.feed, dublinCore, [.date, .modified, .issued], .text(.feedModified, .plain, rank: 1)),
    row(.feed, dublinCore, [.subject], .special(.feedCategory)),
    row(.feed, [.iTunes], [.author], .author(rank: 2)),
    row(.feed, [.iTunes], [.owner], .author(rank: 3)),
    row(.feed, [.iTunes], [.subtitle], .text(.feedDescription, .html, rank: 2)),
    row(.feed, [.iTunes], [.summary, .description], .text(.feedDescription, .html, rank: 3)),
    row(.feed, [.iTunes], [.image], .special(.feedImage)),
    row(.feed, [.iTunes], [.link], .special(.feedImageLink)),
    row(.feed, [.iTunes], [.category], .special(.feedCategories)),
    row(.feed, [.syndication], [.updatePeriod], .text(.updatePeriod, .plain)),
    row(.feed, [.syndication], [.updateFrequency], .text(.updateFrequency, .plain)),
    row(.feed, [.syndication], [.updateBase], .text(.updateBase, .plain)),
    row(.feed, [.media], [.category], .special(.feedCategory)),
    row(.feed, [.media], [.copyright], .text(.feedRights, .html, rank: 1)),
    row(.feed, [.admin], [.generatorAgent], .special(.generatorAgent)),
  ]

  /// Rows for the parts of images and persons.
  private static let feedPartRows: [Row] = [
    row(.image, core, [.url], .text(.feedIcon, .plain)),
    row(.person, core, [.name], .text(.personName, .plain)),
    row(.person, core, [.email], .text(.personEmail, .plain)),
    row(.person, core, [.uri, .url, .homepage], .text(.personURL, .plain)),
  ]

  private static let itemRows: [Row] = [
    row(.item, core, [.item, .entry], .special(.nestedItem), endsOthers: false),
    row(.item, core, [.title], .text(.title, .typed)),
    row(.item, core, [.link], .special(.link)),
    row(.item, core, [.guid, .id], .special(.id)),
    row(.item, core, [.description], .text(.description, .typedHTML)),
    row(.item, core, [.summary], .special(.summary)),
    row(.item, core, [.content], .special(.content)),
    row(.item, core, [.body, .div], .text(.content, .xhtml, rank: 1), endsOthers: false),
    row(.item, core, [.encoded, .fullitem], .text(.content, .html), endsOthers: false),
    row(.item, core, [.pubDate, .published], .text(.published, .plain)),
    row(.item, core, [.issued], .text(.published, .plain, rank: 1)),
    row(.item, core, [.date], .text(.published, .plain, rank: ItemFields.anyDate)),
    row(.item, core, [.created], .text(.published, .plain, rank: 3)),
    row(.item, core, [.updated], .text(.modified, .plain)),
    row(.item, core, [.modified], .text(.modified, .plain, rank: 1)),
    row(.item, core, [.lastBuildDate], .text(.modified, .plain, rank: 2), endsOthers: false),
    row(.item, core, [.author], .author(rank: 0)),
    row(.item, core, [.category], .special(.category)),
    row(.item, core, [.enclosure], .special(.enclosure)),
    row(.item, core, [.source], .special(.source)),
    row(.item, core, [.comments], .address(.comments)),
    row(.item, core, [.contributor], .person(.contributor)),
    row(.item, core, [.rights], .member(.rights, .typed)),
    row(.item, core, [.copyright], .member(.rights, .typed), endsOthers: false),
    row(.item, [.content], [.encoded], .text(.content, .html)),
    row(.item, dublinCore, [.title], .text(.title, .html, rank: 1)),
    row(.item, dublinCore, [.creator, .author], .author(rank: 1)),
    row(.item, dublinCore, [.subject], .text(.category, .plain)),
    row(.item, dublinCore, [.language], .text(.language, .plain)),
    row(.item, dublinCore, [.description, .abstract], .text(.description, .html, rank: 2)),
    row(.item, dublinCore, [.issued], .text(.published, .plain, rank: 1)),
    row(.item, dublinCore, [.date], .text(.published, .plain, rank: ItemFields.anyDate)),
    row(.item, dublinCore, [.created, .available], .text(.published, .plain, rank: 3)),
    row(.item, dublinCore, [.modified], .text(.modified, .plain, rank: 1)),
    row(.item, dublinCore, [.rights], .member(.rights, .html)),
    row(.item, dublinCore, [.license], .member(.license)),
    row(.item, dublinCore, [.publisher], .member(.publisher, .html)),
    row(.item, dublinCore, [.contributor], .person(.contributor)),
    row(.item, dublinCore, [.source], .member(.source, .html)),
    row(.item, dublinCore, [.valid], .member(.valid)),
  ]

  private static let itemModuleRows: [Row] = [
    row(.item, [.iTunes], [.author], .author(rank: 2)),
    row(.item, [.iTunes], [.category], .special(.iTunesCategory)),
    row(.item, [.iTunes], [.title], .text(.title, .html, rank: 3)),
    row(.item, [.iTunes], [.summary, .description], .text(.description, .html, rank: 3)),
    row(.item, [.iTunes], [.subtitle], .text(.description, .html, rank: 4)),
    row(.item, [.iTunes], [.keywords], .text(.keywords, .plain)),
    row(.item, [.iTunes], [.image], .special(.image)),
    row(.item, [.iTunes], [.link], .special(.imageLink)),
    row(.item, [.iTunes], [.duration], .member(.duration)),
    row(.item, [.iTunes, .podcast], [.season], .member(.season)),
    row(.item, [.iTunes, .podcast], [.episode], .member(.episode)),
    row(.item, [.iTunes], [.episodeType], .member(.episodeType)),
    row(.item, [.iTunes], [.explicit], .member(.explicit)),
    row(.item, [.iTunes], [.block], .member(.block)),
    row(.item, [.podcast], [.transcript], .member(.transcript, nil)),
    row(.item, [.podcast], [.chapters], .member(.chapters, nil)),
    row(.item, [.podcast], [.person], .member(.person, .html)),
    row(.item, [.podcast], [.soundbite], .member(.soundbite, .html)),
    row(.item, [.podcast, .license], [.license], .member(.license)),
    row(.item, [.podcast], [.location], .member(.podcastPlace, .html)),
    row(.item, [.podcast], [.socialInteract], .member(.socialInteraction, nil)),
    row(.item, [.podcast], [.alternateEnclosure], .parent(.alternateEnclosure)),
    row(.item, [.podcast], [.source], .member(.alternateSource, nil)),
    row(.item, [.podcast], [.integrity], .member(.integrity, nil)),
    row(.item, [.media], [.group], .open(.media)),
    row(.item, [.media], [.content], .special(.mediaContent)),
    row(.item, [.media], [.thumbnail], .special(.thumbnail)),
    row(.item, [.media], [.title], .text(.title, .html, rank: 2)),
    row(.item, [.media], [.description], .text(.description, .typedText, rank: 5)),
    row(.item, [.media], [.category], .special(.category)),
    row(.item, [.media], [.keywords], .text(.keywords, .plain)),
    row(.item, [.media], [.credit], .member(.credit, .html)),
    row(.item, [.media], [.rating], .member(.rating)),
    row(.item, [.media], [.player], .member(.player, nil)),
    row(.item, [.media], [.copyright], .member(.rights, .html)),
    row(.item, [.media], [.license], .member(.license)),
    row(.item, [.media], [.location], .open(.holder)),
    row(.item, [.media], [.hash], .member(.mediaHash)),
    row(.item, [.slash], [.comments], .member(.commentCount)),
    row(.item, [.slash], [.section], .member(.section, .html)),
    row(.item, [.slash], [.department], .member(.department, .html)),
    row(.item, [.wfw], [.commentRSS], .address(.commentFeed)),
    row(.item, [.wfw], [.comment], .address(.commentPost)),
    row(.item, [.thread], [.total], .member(.commentCount)),
    row(.item, [.thread], [.inReplyTo], .member(.inReplyTo, nil)),
    row(.item, [.app], [.control], .open(.holder)),
    row(.item, [.app], [.draft], .member(.draft)),
    row(.item, [.burner], [.origLink], .address(.originalLink)),
    row(.item, [.geoRSS], [.point], .member(.point)),
    row(.item, [.geo], [.pos], .member(.point)),
    row(.item, [.geo], [.lat, .latitude], .member(.latitude)),
    row(.item, [.geo], [.long, .lon, .longitude], .member(.longitude)),
    row(.item, [.geoRSS], [.place], .open(.holder)),
    row(.item, [.geo], [.point], .open(.holder)),
  ]
}
