extension FeedDetails {
  /// The properties that `itunes:` and `podcast:` state about a podcast.
  public struct Podcast: Sendable, Equatable {
    /// `podcast:funding`: a page for donations.
    public struct Funding: Sendable, Equatable {
      /// The page's address.
      public var url: String
      /// The link's text.
      public var text: String?
    }

    /// `podcast:trailer`: a file that advertises the podcast or a season.
    public struct Trailer: Sendable, Equatable {
      /// The file's address.
      public var url: String
      /// The title.
      public var title: String?
      /// The publication date: seconds since 1970, UTC.
      public var published: Int64?
      /// The media type.
      public var type: String?
      /// The size in bytes.
      public var size: Int64?
      /// The season that the trailer is about; nil stands for the podcast.
      public var season: Double?
    }

    /// `itunes:owner`: the person who may administer the podcast.
    public var owner: Author?
    /// `itunes:explicit`.
    public var isExplicit: Bool?
    /// `itunes:type`: `episodic` (the newest first) or `serial` (the oldest first).
    public var type: String?
    /// `itunes:block`: true if directories are not to list the podcast.
    public var isBlocked: Bool?
    /// `itunes:complete`: true if no episode will follow.
    public var isComplete: Bool?
    /// `itunes:new-feed-url`: the feed's permanent new address.
    public var newFeedURL: String?
    /// `podcast:guid`: an identifier that is the same at each of the feed's addresses.
    public var guid: String?
    /// `podcast:medium`: `podcast`, `music`, `video`, `audiobook` and so on.
    public var medium: String?
    /// `podcast:locked`: true if other platforms may not import the podcast.
    public var isLocked: Bool?
    /// `podcast:locked`: the mail address of the person who may unlock it.
    public var lockOwner: String?
    /// `podcast:funding`.
    public var funding: [Funding] = []
    /// `podcast:person`: the people in the podcast.
    public var persons: [PodcastPerson] = []
    /// `podcast:trailer`.
    public var trailers: [Trailer] = []
    /// `podcast:value`: ways to pay for the podcast.
    public var values: [PodcastValue] = []
    /// `podcast:txt`: texts for programs.
    public var texts: [PodcastText] = []
    /// `podcast:location`: the places that the podcast is about, or where it is made.
    public var places: [PodcastPlace] = []
  }
}

/// `podcast:person`: a person in a podcast or an episode.
public struct PodcastPerson: Sendable, Equatable {
  /// The name; empty if only the other properties are known.
  public var name: String
  /// The role, such as `guest`; nil stands for the host.
  public var role: String?
  /// The role group, such as `writing`; nil stands for the cast.
  public var group: String?
  /// The page about the person.
  public var url: String?
  /// A picture of the person.
  public var image: String?
}

/// `podcast:value`: a way to pay for a podcast or an episode.
public struct PodcastValue: Sendable, Equatable {
  /// The recipient of one share in a payment.
  public struct Recipient: Sendable, Equatable {
    /// The name.
    public var name: String?
    /// The kind of ``address``, such as `node`.
    public var type: String?
    /// The address that receives the share.
    public var address: String?
    /// The recipient's share, relative to the sum of all shares.
    public var split: Int64?
    /// True if the share is taken off before the others are divided.
    public var isFee: Bool?
    /// The name for a value that is sent along.
    public var customKey: String?
    /// The value that is sent along under ``customKey``.
    public var customValue: String?

    /// Creates an empty recipient.
    public init() {}
  }

  /// The service, such as `lightning`.
  public var type: String?
  /// The payment method, such as `keysend`.
  public var method: String?
  /// The proposed sum for a minute, in the service's unit, as written.
  public var suggested: String?
  /// The payment's recipients.
  public var recipients: [Recipient] = []

  /// Creates an empty way to pay.
  public init() {}
}

/// `podcast:txt`: a text for programs, such as a proof of ownership.
public struct PodcastText: Sendable, Equatable {
  /// The text's purpose.
  public var purpose: String?
  /// The text.
  public var text: String
}

/// `podcast:location`: a place that a podcast or an episode is about, or where it is made.
public struct PodcastPlace: Sendable, Equatable {
  /// The name for people; nil if only the other properties are known.
  public var name: String?
  /// A `geo:` address (RFC 5870).
  public var geo: String?
  /// The OpenStreetMap object, such as `R113314`.
  public var osm: String?
  /// The country, as two letters from ISO 3166-1.
  public var country: String?
  /// `subject` or `creator`; nil stands for the subject.
  public var relation: String?
}
