extension FeedDetails {
  /// What `itunes:` and `podcast:` say of a podcast.
  public struct Podcast: Sendable, Equatable {
    /// `podcast:funding`: where to give money.
    public struct Funding: Sendable, Equatable {
      /// The page.
      public var url: String
      /// What it says of itself.
      public var text: String?
    }

    /// `podcast:trailer`: a file that tells of the podcast or of a season.
    public struct Trailer: Sendable, Equatable {
      /// Where it is.
      public var url: String
      /// The title.
      public var title: String?
      /// When it was published: seconds since 1970, UTC.
      public var published: Int64?
      /// The media type.
      public var type: String?
      /// The size in bytes.
      public var size: Int64?
      /// The season that it is about; nil stands for the podcast.
      public var season: Double?
    }

    /// `itunes:owner`: who may administer the podcast.
    public var owner: Author?
    /// `itunes:explicit`.
    public var isExplicit: Bool?
    /// `itunes:type`: `episodic` (the newest first) or `serial` (the oldest first).
    public var type: String?
    /// `itunes:block`: whether directories are not to list it.
    public var isBlocked: Bool?
    /// `itunes:complete`: whether no episode follows.
    public var isComplete: Bool?
    /// `itunes:new-feed-url`: the feed has moved there for good.
    public var newFeedURL: String?
    /// `podcast:guid`: the same wherever the feed is.
    public var guid: String?
    /// `podcast:medium`: `podcast`, `music`, `video`, `audiobook` and so on.
    public var medium: String?
    /// `podcast:locked`: whether others may not import it.
    public var isLocked: Bool?
    /// `podcast:locked`: the address of mail of who may unlock it.
    public var lockOwner: String?
    /// `podcast:funding`.
    public var funding: [Funding] = []
    /// `podcast:person`: who speaks in it.
    public var persons: [PodcastPerson] = []
    /// `podcast:trailer`.
    public var trailers: [Trailer] = []
    /// `podcast:value`: ways to pay for it.
    public var values: [PodcastValue] = []
    /// `podcast:txt`: texts for programs.
    public var texts: [PodcastText] = []
    /// `podcast:location`: what it is about, or where it is made.
    public var places: [PodcastPlace] = []
  }
}

/// `podcast:person`: who had a part in a podcast or an episode.
public struct PodcastPerson: Sendable, Equatable {
  /// The name; empty when only the rest is known.
  public var name: String
  /// The role, such as `guest`; nil stands for the host.
  public var role: String?
  /// The group of roles, such as `writing`; nil stands for the cast.
  public var group: String?
  /// The page about the person.
  public var url: String?
  /// A picture of the person.
  public var image: String?
}

/// `podcast:value`: a way to pay for a podcast or an episode.
public struct PodcastValue: Sendable, Equatable {
  /// Who gets how much.
  public struct Recipient: Sendable, Equatable {
    /// The name.
    public var name: String?
    /// The kind of ``address``, such as `node`.
    public var type: String?
    /// Where the share is sent to.
    public var address: String?
    /// How many shares of the sum of all.
    public var split: Int64?
    /// Whether the shares are taken off before the others are dealt.
    public var isFee: Bool?
    /// The name of something to be sent along.
    public var customKey: String?
    /// What is sent along under ``customKey``.
    public var customValue: String?

    /// Describes a recipient of whom nothing is known.
    public init() {}
  }

  /// The service, such as `lightning`.
  public var type: String?
  /// How it is used, such as `keysend`.
  public var method: String?
  /// The sum that is proposed for a minute, in the unit of the service, as written.
  public var suggested: String?
  /// Who gets how much.
  public var recipients: [Recipient] = []

  /// Describes a way to pay of which nothing is known.
  public init() {}
}

/// `podcast:txt`: a text for programs, such as the proof of who owns a podcast.
public struct PodcastText: Sendable, Equatable {
  /// What it is for.
  public var purpose: String?
  /// The text.
  public var text: String
}

/// `podcast:location`: a place that a podcast or an episode is about, or where it is made.
public struct PodcastPlace: Sendable, Equatable {
  /// The name for people; nil where only the rest is known.
  public var name: String?
  /// A `geo:` address (RFC 5870).
  public var geo: String?
  /// The object of OpenStreetMap, such as `R113314`.
  public var osm: String?
  /// The country, two letters of ISO 3166-1.
  public var country: String?
  /// `subject` or `creator`; nil stands for the subject.
  public var relation: String?
}
