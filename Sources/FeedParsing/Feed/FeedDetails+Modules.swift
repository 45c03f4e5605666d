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
}

/// A link of a feed or an item that no other field is made of (RFC 4287, section 4.2.7).
public struct RelatedLink: Sendable, Equatable {
  /// Where it leads.
  public var url: String
  /// How it relates, as written, such as `via`; nil where the document does not say, which means an alternate.
  public var relation: String?
  /// The media type of what is there.
  public var type: String?
  /// The title of what is there.
  public var title: String?
  /// The language of what is there.
  public var language: String?
  /// The size in bytes of what is there.
  public var size: Int64?
}
