/// What modules say of an item beyond the fields of ``FeedItem``.
public struct ItemExtensions: Sendable, Equatable {
  /// How long the item takes, in seconds: `itunes:duration`.
  public var duration: Int64?
  /// The number of the season: `podcast:season`, `itunes:season`.
  public var season: Double?
  /// The name of the season: `podcast:season`.
  public var seasonName: String?
  /// The number of the episode: `podcast:episode`, `itunes:episode`.
  public var episode: Double?
  /// How the number of the episode is shown: `podcast:episode`.
  public var episodeName: String?
  /// `full`, `trailer` or `bonus`: `itunes:episodeType`.
  public var episodeType: String?
  /// Where it stands among the episodes: `itunes:order`.
  public var order: Int64?
  /// `itunes:explicit`.
  public var isExplicit: Bool?
  /// `itunes:block`: whether directories are not to list it.
  public var isBlocked: Bool?
  /// The words spoken: `podcast:transcript`.
  public var transcripts: [Transcript] = []
  /// Where the chapters are listed: `podcast:chapters`; of a transcript only the address and the type.
  public var chapters: Transcript?
  /// Who had a part in it: `podcast:person`.
  public var persons: [PodcastPerson] = []
  /// Parts to be quoted: `podcast:soundbite`.
  public var soundbites: [Soundbite] = []
  /// The same in other forms: `podcast:alternateEnclosure`.
  public var alternateEnclosures: [AlternateEnclosure] = []
  /// Where people talk about it: `podcast:socialInteract`.
  public var socialInteractions: [SocialInteraction] = []
  /// Ways to pay for it: `podcast:value`.
  public var values: [PodcastValue] = []
  /// Texts for programs: `podcast:txt`.
  public var texts: [PodcastText] = []
  /// Places: `podcast:location`.
  public var places: [PodcastPlace] = []

  /// The files of `media:content`, in all their versions.
  public var media: [Media] = []
  /// The pictures of `media:thumbnail`.
  public var thumbnails: [Media] = []
  /// A wide picture for the top of the page, where there is another: JSON Feed `banner_image`.
  public var bannerImage: String?
  /// Who made the media: `media:credit`.
  public var credits: [Credit] = []
  /// For whom the media is: `media:rating`.
  public var rating: Rating?
  /// A page that plays the media: `media:player`.
  public var playerURL: String?
  /// What plays the media inside a page: `media:embed`.
  public var embed: Embed?
  /// What people think of the media: `media:community`.
  public var community: Community?

  /// Categories that have a scheme or a label; ``FeedItem/tags`` has all.
  public var categories: [FeedDetails.Category] = []
  /// The page of the comments: RSS `comments`, a link of `rel="replies"`.
  public var commentsURL: String?
  /// A feed of the comments: `wfw:commentRss`, a link of `rel="replies"`.
  public var commentFeedURL: String?
  /// Where comments are posted to: `wfw:comment`.
  public var commentPostURL: String?
  /// How many comments there are: `slash:comments`, `thr:total`, `thr:count`.
  public var commentCount: Int64?
  /// The section of the site: `slash:section`.
  public var section: String?
  /// The department, in jest: `slash:department`.
  public var department: String?
  /// How many comments there are from each score on, as `slash:hit_parade` has it: numbers between commas.
  public var hitParade: String?
  /// What it answers: `thr:in-reply-to`.
  public var inReplyTo: [Reference] = []

  /// The place that it is about: GeoRSS, GML, W3C Basic Geo, else the first of ``places`` with coordinates.
  public var location: Location?
  /// The lines and areas that it is about: GeoRSS, GML.
  public var shapes: [Shape] = []
  /// Links that no other field is made of; those of `rel="replies"` are among them.
  public var links: [RelatedLink] = []
  /// Where the content is, when it is not in the document: Atom `content` with `src`. The relation is nil.
  public var contentSource: RelatedLink?
  /// The rights in words.
  public var rights: String?
  /// The licences.
  public var licenses: [FeedDetails.License] = []
  /// The feed that it came from: RSS and Atom `source`, `dc:source`.
  public var source: Source?
  /// `dc:publisher`.
  public var publisher: String?
  /// Who else had a part in it: Atom `contributor`, `dc:contributor`.
  public var contributors: [FeedDetails.Author] = []
  /// When it holds, as written: `dcterms:valid`.
  public var valid: String?
  /// The address of the item before a service replaced it: `feedburner:origLink`.
  public var originalURL: String?
  /// Whether it is a draft: `app:draft`.
  public var isDraft: Bool?

  /// Says nothing.
  public init() {}
}

extension ItemExtensions {
  /// A text beside the item.
  public struct Transcript: Sendable, Equatable {
    /// Where it is.
    public var url: String
    /// The media type.
    public var type: String?
    /// The language; nil is the feed's.
    public var language: String?
    /// `captions` when it has the times.
    public var relation: String?
  }

  /// A part of an episode to be quoted.
  public struct Soundbite: Sendable, Equatable {
    /// Where it begins, in seconds.
    public var start: Double
    /// How long it takes, in seconds.
    public var duration: Double
    /// The title; nil is the item's.
    public var title: String?
  }

  /// An item elsewhere that this one answers.
  public struct Reference: Sendable, Equatable {
    /// Its id.
    public var id: String?
    /// Its page.
    public var url: String?
    /// The media type of that page.
    public var type: String?
    /// The feed or entry document where it is.
    public var source: String?
  }

  /// The feed that an item came from.
  public struct Source: Sendable, Equatable {
    /// Its id.
    public var id: String?
    /// Its title.
    public var title: String?
    /// Its address: in RSS that of the feed, in Atom that of the page.
    public var url: String?
  }
}
