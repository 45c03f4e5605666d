/// One part of what a module says of an item: an attribute or the text of an element.
///
/// An element makes one part for each attribute that means something and one for its text; they stand side by side
/// and have the same ``element``. ``ItemExtensions`` has the same as values.
public struct ParsedExtension: Sendable, Hashable {
  /// What the element is about.
  public enum Kind: UInt8, Sendable {
    /// A category that has a scheme or a label.
    case category
    /// `itunes:duration`.
    case duration
    /// `itunes:season`, `podcast:season`.
    case season
    /// `itunes:episode`, `podcast:episode`.
    case episode
    /// `itunes:episodeType`.
    case episodeType
    /// `itunes:explicit`.
    case explicit
    /// `itunes:block`.
    case block
    /// `podcast:transcript`.
    case transcript
    /// `podcast:chapters`.
    case chapters
    /// `podcast:person`.
    case person
    /// `podcast:soundbite`.
    case soundbite
    /// `media:content`.
    case media
    /// `media:thumbnail`.
    case thumbnail
    /// `banner_image` of JSON Feed beside `image`.
    case bannerImage
    /// `media:credit`.
    case credit
    /// `media:rating`.
    case rating
    /// `media:player`.
    case player
    /// Rights in words: `rights`, `dc:rights`, `media:copyright`.
    case rights
    /// A licence: `creativeCommons:license`, `cc:license`, `media:license`, a link of `rel="license"`.
    case license
    /// The page of comments: RSS `comments`.
    case comments
    /// How many comments there are: `slash:comments`, `thr:total`.
    case commentCount
    /// A feed of the comments: `wfw:commentRss`.
    case commentFeed
    /// Where comments are posted to: `wfw:comment`.
    case commentPost
    /// An Atom link of `rel="replies"`: a page or a feed of comments.
    case replies
    /// `thr:in-reply-to`.
    case inReplyTo
    /// `slash:section`.
    case section
    /// `slash:department`.
    case department
    /// Latitude and longitude in one text: `georss:point`, `gml:pos`.
    case point
    /// `geo:lat`.
    case latitude
    /// `geo:long`.
    case longitude
    /// The feed that the item came from.
    case source
    /// `dc:publisher`.
    case publisher
    /// `contributor`, `dc:contributor`.
    case contributor
    /// `dcterms:valid`.
    case valid
    /// `feedburner:origLink`.
    case originalLink
    /// `app:draft`.
    case draft
  }

  /// What the part is of its element.
  public enum Field: UInt8, Sendable {
    /// The text, or `term` of a category.
    case text
    /// An address: `url`, `href`; resolved.
    case url
    /// A media type.
    case type
    /// A title.
    case title
    /// The name of a person; the words of a season or an episode.
    case name
    /// The address of mail.
    case email
    /// An identifier: `id`, `ref`.
    case id
    /// A language: `lang`, `language`, `hreflang`.
    case language
    /// How a file relates to the item: `rel`.
    case relation
    /// The scheme of a category, a credit or a rating: `scheme`, `domain`.
    case scheme
    /// The label of a category.
    case label
    /// The role of a person.
    case role
    /// The group of a role.
    case group
    /// The address of a picture: `img`; resolved.
    case image
    /// The size in bytes: `fileSize`.
    case size
    /// The kind of medium: `image`, `audio`, `video`, `document`, `executable`.
    case medium
    /// In pixels.
    case width
    /// In pixels.
    case height
    /// A duration, as written.
    case duration
    /// Where a part begins, in seconds: `startTime`.
    case start
    /// How many: `thr:count`.
    case count
    /// The feed of what is replied to: `source`; resolved.
    case source
  }

  /// What the element is about.
  public var kind: Kind
  /// What this part is of it.
  public var field: Field
  /// Which element of the item it belongs to; counts those that are kept.
  public var element: UInt16
  /// The part, never empty; numbers are as the document has them.
  public var value: ByteSlice
}

extension ParsedExtension.Field {
  /// The field of an attribute; nil for attributes that are not kept.
  init?(attribute: LocalName) {
    switch attribute {
    case .term: self = .text
    case .url, .href, .resource: self = .url
    case .type: self = .type
    case .title: self = .title
    case .name, .display: self = .name
    case .id, .ref: self = .id
    case .lang, .language, .hreflang: self = .language
    case .rel: self = .relation
    case .scheme, .domain: self = .scheme
    case .label: self = .label
    case .role: self = .role
    case .group: self = .group
    case .img: self = .image
    case .fileSize: self = .size
    case .medium: self = .medium
    case .width: self = .width
    case .height: self = .height
    case .duration: self = .duration
    case .startTime: self = .start
    case .count: self = .count
    case .source: self = .source
    default: return nil
    }
  }

  /// Whether values are addresses, to be resolved.
  var isAddress: Bool { self == .url || self == .image || self == .source }
}
