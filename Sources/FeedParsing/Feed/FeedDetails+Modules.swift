extension FeedDetails {
  /// RSS `image`: a picture of the feed.
  public struct Image: Sendable, Equatable {
    /// Where it is.
    public var url: String?
    /// What it shows, in place of the picture.
    public var title: String?
    /// The page that it leads to.
    public var link: String?
    /// In pixels.
    public var width: Int64?
    /// In pixels.
    public var height: Int64?
    /// More of what it shows.
    public var description: String?

    /// Describes an image of which nothing is known.
    public init() {}
  }

  /// RSS `textInput`: a field that readers may show below the feed.
  public struct TextInput: Sendable, Equatable {
    /// The label of its button.
    public var title: String?
    /// What it is for.
    public var description: String?
    /// The name of the field.
    public var name: String?
    /// Where the text is sent to.
    public var link: String?

    /// Describes a field of which nothing is known.
    public init() {}
  }

  /// What a feed or an item is about.
  public struct Category: Sendable, Equatable {
    /// The category itself: Atom `term`, the text in RSS.
    public var term: String
    /// The list that it is from: Atom `scheme`, RSS `domain`; `http://www.itunes.com/` for those of podcasts.
    public var scheme: String?
    /// For people to read.
    public var label: String?
    /// `itunes:category` inside another one: the term of that.
    public var parent: String?

    /// Describes a category.
    public init(term: String, scheme: String? = nil, label: String? = nil, parent: String? = nil) {
      self.term = term
      self.scheme = scheme
      self.label = label
      self.parent = parent
    }
  }

  /// What the content may be used for.
  public struct License: Sendable, Equatable {
    /// Where the licence stands.
    public var url: String?
    /// Its name or text.
    public var name: String?

    /// Describes a licence.
    public init(url: String? = nil, name: String? = nil) {
      self.url = url
      self.name = name
    }
  }

  /// RSS `cloud`: a service that tells of changes, of the interface rssCloud.
  public struct Cloud: Sendable, Equatable {
    /// The host.
    public var domain: String?
    /// The port.
    public var port: Int64?
    /// The path.
    public var path: String?
    /// The procedure to call.
    public var registerProcedure: String?
    /// `http-post`, `xml-rpc` or `soap`.
    public var `protocol`: String?
  }

  /// The other documents of a feed that is made of several (RFC 5005).
  public struct Pages: Sendable, Equatable {
    /// The next part of a paged feed.
    public var next: String?
    /// The part before.
    public var previous: String?
    /// The first part.
    public var first: String?
    /// The last part.
    public var last: String?
    /// The feed that an archive belongs to.
    public var current: String?
    /// The next newer archive.
    public var nextArchive: String?
    /// The next older archive.
    public var previousArchive: String?

    /// Takes the link of a relation; the first counts.
    mutating func set(_ url: String, _ relation: String) {
      switch relation {
      case "next": next = next ?? url
      case "prev", "previous": previous = previous ?? url
      case "first": first = first ?? url
      case "last": last = last ?? url
      case "current": current = current ?? url
      case "next-archive": nextArchive = nextArchive ?? url
      case "prev-archive": previousArchive = previousArchive ?? url
      default: break
      }
    }
  }

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
