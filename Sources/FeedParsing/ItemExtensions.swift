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
  /// What it answers: `thr:in-reply-to`.
  public var inReplyTo: [Reference] = []

  /// The place that it is about: GeoRSS, GML, W3C Basic Geo.
  public var location: Location?
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

  /// A file of Media RSS.
  public struct Media: Sendable, Equatable {
    /// Where it is; nil when a player shows it.
    public var url: String?
    /// The media type.
    public var type: String?
    /// `image`, `audio`, `video`, `document` or `executable`.
    public var medium: String?
    /// The size in bytes.
    public var size: Int64?
    /// How long it takes, in seconds.
    public var duration: Int64?
    /// In pixels.
    public var width: Int64?
    /// In pixels.
    public var height: Int64?
    /// The language.
    public var language: String?
  }

  /// Who made a media.
  public struct Credit: Sendable, Equatable {
    /// The name.
    public var name: String
    /// The role, such as `producer`.
    public var role: String?
    /// The list that the role is from.
    public var scheme: String?
  }

  /// For whom a media is.
  public struct Rating: Sendable, Equatable {
    /// The rating, such as `nonadult`.
    public var value: String
    /// The list that it is from; nil stands for `urn:simple`.
    public var scheme: String?
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

  /// A place on Earth, WGS84.
  public struct Location: Sendable, Equatable {
    /// In degrees, north is positive.
    public var latitude: Double
    /// In degrees, east is positive.
    public var longitude: Double
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
