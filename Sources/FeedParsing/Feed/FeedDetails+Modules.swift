extension FeedDetails {
  /// RSS `image`: a picture for the feed.
  public struct Image: Sendable, Equatable {
    /// The picture's address.
    public var url: String?
    /// The alternative text.
    public var title: String?
    /// The page that the picture links to.
    public var link: String?
    /// The width in pixels.
    public var width: Int64?
    /// The height in pixels.
    public var height: Int64?
    /// A longer description.
    public var description: String?

    /// Creates an empty image.
    public init() {}
  }

  /// RSS `textInput`: a field that readers may show below the feed.
  public struct TextInput: Sendable, Equatable {
    /// The label on its button.
    public var title: String?
    /// The field's purpose.
    public var description: String?
    /// The field's name.
    public var name: String?
    /// The address that receives the text.
    public var link: String?

    /// Creates an empty field.
    public init() {}
  }

  /// A feed's or an item's subject.
  public struct Category: Sendable, Equatable {
    /// The category: Atom `term`, RSS text.
    public var term: String
    /// The category's list: Atom `scheme`, RSS `domain`; `http://www.itunes.com/` for podcast categories.
    public var scheme: String?
    /// The name for people.
    public var label: String?
    /// The term in the `itunes:category` that contains this one.
    public var parent: String?

    /// Describes a category.
    public init(term: String, scheme: String? = nil, label: String? = nil, parent: String? = nil) {
      self.term = term
      self.scheme = scheme
      self.label = label
      self.parent = parent
    }
  }

  /// A licence for the content.
  public struct License: Sendable, Equatable {
    /// The licence's address.
    public var url: String?
    /// The licence's name or text.
    public var name: String?

    /// Describes a licence.
    public init(url: String? = nil, name: String? = nil) {
      self.url = url
      self.name = name
    }
  }

  /// RSS `cloud`: a service that notifies of changes, with the interface rssCloud.
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

  /// The other documents if a feed consists of several (RFC 5005).
  public struct Pages: Sendable, Equatable {
    /// The next part of a paged feed.
    public var next: String?
    /// The previous part.
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

    /// Stores a relation's link; the first link counts.
    mutating func set(_ url: String, _ relation: LinkRelation.Page) {
      switch relation {
      case .next: next = next ?? url
      case .previous: previous = previous ?? url
      case .first: first = first ?? url
      case .last: last = last ?? url
      case .current: current = current ?? url
      case .nextArchive: nextArchive = nextArchive ?? url
      case .previousArchive: previousArchive = previousArchive ?? url
      }
    }
  }
}

/// A link from a feed or an item that fills no other field (RFC 4287, section 4.2.7).
public struct RelatedLink: Sendable, Equatable {
  /// The target's address.
  public var url: String
  /// The relation as written, such as `via`; nil if the document does not state it, which means an alternate.
  public var relation: String?
  /// The target's media type.
  public var type: String?
  /// The target's title.
  public var title: String?
  /// The target's language.
  public var language: String?
  /// The target's size, in bytes.
  public var size: Int64?
}
