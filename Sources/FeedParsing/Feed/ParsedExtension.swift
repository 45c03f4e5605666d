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
    /// `slash:hit_parade`.
    case hitParade
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
    /// An Atom link that no field is made of: `via`, a further `related` and the like.
    case link
    /// Atom `content` that is elsewhere: `src`.
    case contentSource
    /// `itunes:order`.
    case order
    /// `podcast:location`.
    case podcastPlace
    /// `podcast:alternateEnclosure`.
    case alternateEnclosure
    /// `podcast:source`: where the last ``alternateEnclosure`` is.
    case alternateSource
    /// `podcast:integrity` of the last ``alternateEnclosure``.
    case integrity
    /// `podcast:socialInteract`.
    case socialInteraction
    /// `podcast:value`.
    case podcastValue
    /// `podcast:valueRecipient` of the last ``podcastValue``.
    case valueRecipient
    /// `podcast:txt`.
    case podcastText
    /// `media:starRating`, `media:statistics` and `media:tags`.
    case community
    /// `media:hash` of the last ``media``.
    case mediaHash
    /// `media:embed`.
    case embed
    /// `georss:line`.
    case line
    /// `georss:polygon`.
    case polygon
    /// `georss:box`.
    case box
    /// `georss:circle`.
    case circle
    /// `gml:posList`.
    case positions
    /// `gml:lowerCorner`.
    case lowerCorner
    /// `gml:upperCorner`.
    case upperCorner
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
    /// A `geo:` address.
    case geo
    /// An object of OpenStreetMap.
    case osm
    /// A country.
    case country
    /// Bits a second; in Media RSS thousands of them.
    case bitrate
    /// The codecs of a file.
    case codecs
    /// Whether it is the first choice: `default`, `isDefault`.
    case isDefault
    /// A protocol.
    case `protocol`
    /// An account: `accountId`.
    case accountID
    /// The page of an account: `accountUrl`; resolved.
    case accountURL
    /// How much it is wanted.
    case priority
    /// How something is done: `method`.
    case method
    /// A sum that is proposed: `suggested`.
    case suggested
    /// Where money is sent to: `address`.
    case address
    /// How many shares: `split`.
    case split
    /// Whether it is a fee.
    case fee
    /// The name of something to be sent along.
    case customKey
    /// What is sent along.
    case customValue
    /// What a text is for: `purpose`.
    case purpose
    /// A value: `value`.
    case value
    /// The average of ratings.
    case average
    /// The worst rating: `min`.
    case minimum
    /// The best rating: `max`.
    case maximum
    /// How often it was seen.
    case views
    /// How many like it best.
    case favorites
    /// The algorithm of a hash: `algo`.
    case algorithm
    /// Pictures a second.
    case framerate
    /// Samples a second, in thousands.
    case samplingRate
    /// Channels of sound.
    case channels
    /// `sample`, `full` or `nonstop`.
    case expression
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
