/// One part of a module element in an item: an attribute's value, or the element's text.
///
/// An element has one part for each attribute in ``Field`` and one for its text. The parts are adjacent and
/// share the same ``element``. ``ItemMembers`` prints them, and its table states the elements for each kind.
package struct ParsedExtension: Sendable, Hashable {
  /// The subjects of elements. Content hashes contain the numbers, so a removed one stays free.
  package enum Kind: UInt8, Sendable {
    /// A category that has a scheme or a label.
    case category
    case duration, season, episode, episodeType, explicit, block, transcript, chapters, person, soundbite
    case media, thumbnail
    /// JSON Feed `banner_image` beside `image`.
    case bannerImage
    case credit, rating, player
    /// The rights as a text: `rights`, `dc:rights`, `media:copyright`.
    case rights
    case license
    /// The page for comments: RSS `comments`.
    case comments
    case commentCount, commentFeed, commentPost
    /// An Atom link with `rel="replies"`: a page or a feed with comments.
    case replies
    case inReplyTo, section, department
    /// Latitude and longitude in one text: `georss:point`, `gml:pos`.
    case point = 28
    case latitude, longitude
    /// The feed that the item came from.
    case source
    case publisher, contributor, valid, originalLink, draft
    /// An Atom link that fills no other field, such as `via` or a second `related`.
    case link
    /// Atom `content` with `src`.
    case contentSource
    case podcastPlace = 40
    case alternateEnclosure
    /// `podcast:source` in the last ``alternateEnclosure``.
    case alternateSource
    /// `podcast:integrity` in the last ``alternateEnclosure``.
    case integrity
    case socialInteraction
    /// `media:hash` in the last ``media``.
    case mediaHash = 49
  }

  /// The parts of elements. The values for ``url``, ``image``, ``source`` and ``accountURL`` are resolved
  /// addresses. For the numbers see ``Kind``.
  package enum Field: UInt8, Sendable {
    /// The element's text, or a category's `term`.
    case text
    case url, type, title
    /// The name of a person, a season or an episode.
    case name
    case email
    /// An identifier: `id`, `ref`.
    case id
    case language, relation
    /// `scheme`, `domain`.
    case scheme
    case label, role, group, image
    /// `fileSize`, `length`.
    case size
    case medium, width, height, duration, start, count, source, geo, osm, country
    /// Bits per second; in Media RSS, thousands of bits per second.
    case bitrate
    case codecs, isDefault, `protocol`, accountID, accountURL, priority
    case value = 40
    case algorithm = 46
    case framerate, samplingRate, channels, expression
  }

  package var kind: Kind
  package var field: Field
  /// The element's number within the item. Elements that were left out do not count.
  package var element: UInt16
  /// The value, never empty; numbers are as the document has them.
  package var value: ByteSlice

  /// True if the value counts readers or comments: it changes without an edit to the item.
  package var isCounter: Bool {
    switch kind {
    case .commentCount: true
    case .replies: field == .count
    default: false
    }
  }
}

extension ParsedExtension.Field {
  /// The field that an attribute fills; nil if it fills no field.
  init?(attribute: LocalName) {
    guard let field = Self.byAttribute[Int(attribute.rawValue)] else { return nil }
    self = field
  }

  /// True if values are addresses, which are resolved.
  var isAddress: Bool { self == .url || self == .image || self == .source || self == .accountURL }

  /// The fields, indexed by the raw value of the attribute's name.
  private static let byAttribute: [Self?] = {
    let fields: [(Self, [LocalName])] = [
      (.text, [.term]), (.url, [.url, .href, .resource, .uri, .src]), (.type, [.type, .contentType]),
      (.title, [.title]), (.name, [.name, .display]), (.id, [.id, .ref]),
      (.language, [.lang, .language, .hreflang]), (.relation, [.rel]), (.scheme, [.scheme, .domain]),
      (.label, [.label]), (.role, [.role]), (.group, [.group]), (.image, [.img]),
      (.size, [.fileSize, .length]), (.medium, [.medium]), (.width, [.width]), (.height, [.height]),
      (.duration, [.duration]), (.start, [.startTime]), (.count, [.count]), (.source, [.source]),
      (.geo, [.geo]), (.osm, [.osm]), (.country, [.country]), (.bitrate, [.bitrate]), (.codecs, [.codecs]),
      (.isDefault, [.isDefault]), (.protocol, [.protocol]), (.accountID, [.accountID]),
      (.accountURL, [.accountURL]), (.priority, [.priority]), (.value, [.value]),
      (.algorithm, [.algorithm]), (.framerate, [.framerate]), (.samplingRate, [.samplingRate]),
      (.channels, [.channels]), (.expression, [.expression]),
    ]
    var table = [Self?](repeating: nil, count: Int(UInt8.max) + 1)
    for (field, names) in fields { for name in names { table[Int(name.rawValue)] = field } }
    return table
  }()
}
