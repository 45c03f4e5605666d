/// The parts of the podcast namespace that items and feeds share.

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

extension ItemExtensions {
  /// `podcast:alternateEnclosure`: the same episode in another form.
  public struct AlternateEnclosure: Sendable, Equatable {
    /// A place where the file is.
    public struct Source: Sendable, Equatable {
      /// The address.
      public var url: String
      /// The media type, where it is not that of the enclosure.
      public var type: String?
    }

    /// `podcast:integrity`: how the file is verified.
    public struct Integrity: Sendable, Equatable {
      /// `sri` or `pgp-signature`.
      public var type: String?
      /// The hash or the signature.
      public var value: String
    }

    /// The media type.
    public var type: String?
    /// The size in bytes.
    public var size: Int64?
    /// Bits a second.
    public var bitrate: Double?
    /// The height of the picture in pixels.
    public var height: Int64?
    /// The language.
    public var language: String?
    /// The title.
    public var title: String?
    /// What alternates belong together.
    public var relation: String?
    /// The codecs (RFC 6381).
    public var codecs: String?
    /// Whether it is the same as the enclosure.
    public var isDefault: Bool?
    /// Where it is.
    public var sources: [Source] = []
    /// How it is verified.
    public var integrity: Integrity?

    /// Describes a form of which nothing is known.
    public init() {}
  }

  /// `podcast:socialInteract`: where people talk about the episode.
  public struct SocialInteraction: Sendable, Equatable {
    /// The post that begins the talk.
    public var url: String?
    /// The protocol, such as `activitypub`; `disabled` for no talk at all.
    public var `protocol`: String?
    /// The account of who began it.
    public var accountID: String?
    /// The page of that account.
    public var accountURL: String?
    /// The smaller, the more wanted.
    public var priority: Int64?
  }
}
