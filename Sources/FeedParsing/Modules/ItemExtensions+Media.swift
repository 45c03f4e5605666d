extension ItemExtensions {
  /// A file of Media RSS.
  public struct Media: Sendable, Equatable {
    /// `media:hash`: by what a file is known.
    public struct Hash: Sendable, Equatable {
      /// `md5` or `sha-1`; nil stands for `md5`.
      public var algorithm: String?
      /// The hash, in hexadecimal digits.
      public var value: String
    }

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
    /// Kilobits a second.
    public var bitrate: Double?
    /// Pictures a second.
    public var framerate: Double?
    /// Samples a second, in thousands.
    public var samplingRate: Double?
    /// How many channels of sound.
    public var channels: Int64?
    /// Whether it is the first choice of its group.
    public var isDefault: Bool?
    /// `sample`, `full` or `nonstop`.
    public var expression: String?
    /// By what the file is known.
    public var hashes: [Hash] = []

    /// Describes a file of which nothing is known.
    public init() {}
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

  /// `media:community`: what people think of a media.
  public struct Community: Sendable, Equatable {
    /// A word that people gave a media.
    public struct Tag: Sendable, Equatable {
      /// The word.
      public var tag: String
      /// The more, the more it fits; nil stands for one.
      public var weight: Int64?
    }

    /// The average of the ratings.
    public var ratingAverage: Double?
    /// How many have rated it.
    public var ratingCount: Int64?
    /// The worst possible rating.
    public var ratingMinimum: Double?
    /// The best possible rating.
    public var ratingMaximum: Double?
    /// How often it was seen.
    public var views: Int64?
    /// How many like it best.
    public var favorites: Int64?
    /// The words that people gave it.
    public var tags: [Tag] = []

    /// Knows of no opinion.
    public init() {}
  }

  /// `media:embed`: what plays the media inside a page.
  public struct Embed: Sendable, Equatable {
    /// The player.
    public var url: String
    /// In pixels.
    public var width: Int64?
    /// In pixels.
    public var height: Int64?
  }
}
