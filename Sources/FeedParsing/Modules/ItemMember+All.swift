extension ItemMember {
  /// All members of an item's `_newsimport`, in the order in which they are printed.
  static let all: [ItemMember] = item + podcast + media + comments + places + origin

  private static let item = [
    ItemMember(
      "summary_type", .htmlSummary, .special(.summaryType, "string, `text/html`"),
      from: "a summary that is HTML and would be another text if it were plain"),
    ItemMember(
      "id_is_permalink", .permaLink, .special(.isPermaLink, "boolean"), from: "`isPermaLink` of RSS `guid`"),
  ]

  private static let podcast = [
    ItemMember(
      "duration_in_seconds", .duration, .value(.text, .seconds),
      from: "`itunes:duration`: seconds, `m:s`, `h:m:s`, `PT1H2M3S`, `1h 2m 3s`"),
    ItemMember("season", .season, .value(.text, .decimal), from: "`itunes:season`, `podcast:season`"),
    ItemMember("season_name", .season, .value(.name, .text), from: "`name` of `podcast:season`"),
    ItemMember("episode", .episode, .value(.text, .decimal), from: "`itunes:episode`, `podcast:episode`"),
    ItemMember("episode_name", .episode, .value(.name, .text), from: "`display` of `podcast:episode`"),
    ItemMember(
      "episode_type", .episodeType, .value(.text, .lowercased),
      from: "`itunes:episodeType`: `full`, `trailer` or `bonus`"),
    ItemMember("explicit", .explicit, .value(.text, .flag), from: "`itunes:explicit`"),
    ItemMember(
      "block", .block, .value(.text, .flag),
      from: "`itunes:block`: true if directories are not to list the item"),
    ItemMember("transcripts", .transcript, .list(textFile), from: "`podcast:transcript`"),
    ItemMember("chapters", .chapters, .object(textFile), from: "`podcast:chapters`"),
    ItemMember(
      "persons", .person,
      .list([MemberField("name", .text, absence: .empty)] + fields(.role, .group, .url, .image)),
      from: "`podcast:person`"),
    ItemMember(
      "soundbites", .soundbite,
      .list([
        required(.start), .required("duration_in_seconds", .duration, .decimal), MemberField("title", .text),
      ]), from: "`podcast:soundbite`"),
    ItemMember(
      "alternate_enclosures", .alternateEnclosure,
      .list(
        fields(.type, .size, .bitrate, .height, .language, .title, .relation, .codecs, .isDefault) + [
          MemberField("sources", .list(.alternateSource, [required(.url)] + fields(.type))),
          MemberField("integrity", .last(.integrity, fields(.type) + [required(.value)])),
        ]), from: "`podcast:alternateEnclosure` with `podcast:source` and `podcast:integrity`; bits a second"),
    ItemMember(
      "social_interactions", .socialInteraction,
      .list(fields(.url, .protocol, .accountID, .accountURL, .priority)), from: "`podcast:socialInteract`"),
  ]

  private static let media = [
    ItemMember(
      "media", .media,
      .list(
        fields(.url) + mediaFile + [
          MemberField("hashes", .list(.mediaHash, fields(.algorithm) + [.required("value", .text)]))
        ]),
      from:
        "`media:content`, also inside `media:group`, with the `media:hash` after it; kilobits and pictures a second"
    ),
    ItemMember(
      "thumbnails", .thumbnail, .set([required(.url)] + mediaFile),
      from: "`media:thumbnail`, also inside `media:group`"),
    ItemMember(
      "credits", .credit, .list([.required("name", .text)] + fields(.role, .scheme)), from: "`media:credit`"),
    ItemMember(
      "rating", .rating, .object([.required("value", .text)] + fields(.scheme)), from: "`media:rating`"),
    ItemMember("player_url", .player, .value(.url, .text), from: "`media:player`"),
    ItemMember(
      "banner_image", .bannerImage, .value(.url, .text), from: "`banner_image` of JSON Feed beside `image`"),
  ]

  private static let comments = [
    ItemMember(
      "comments_url", ItemSources(.comments, .replies), .special(.commentPage, "string"),
      from: "RSS `comments`, else `atom:link` of `replies` that is a page"),
    ItemMember(
      "comment_feed_url", ItemSources(.commentFeed, .replies), .special(.commentFeed, "string"),
      from: "`wfw:commentRss`, else `atom:link` of `replies` that is not a page"),
    ItemMember("comment_post_url", .commentPost, .value(.url, .text), from: "`wfw:comment`"),
    ItemMember(
      "comment_count", ItemSources(.commentCount, .replies), .special(.commentCount, "number"),
      from: "`slash:comments`, `thr:total`, `thr:count` of a link"),
    ItemMember("section", .section, .value(.text, .text), from: "`slash:section`"),
    ItemMember("department", .department, .value(.text, .text), from: "`slash:department`"),
    ItemMember(
      "in_reply_to", .inReplyTo, .list(fields(.id, .url, .type, .source)), from: "`thr:in-reply-to`"),
    ItemMember(
      "categories", .category,
      .list(
        [MemberField("term", .either(.text, .label), absence: .dropsElement)] + fields(.scheme, .label)),
      from: """
        `category` and `media:category` with a scheme (`domain`, `scheme`) or a `label`; `tags` has the terms of all
        """),
  ]

  private static let places = [
    ItemMember(
      "location", ItemSources(.point, .latitude, .longitude, .podcastPlace),
      .special(.location, "object: `latitude`, `longitude`"),
      from: """
        `georss:point`, `gml:pos` inside `georss:where`, `geo:lat` with `geo:long`, `icbm:latitude` with \
        `icbm:longitude`, also inside `media:location`; else `geo` of `podcast:location`
        """),
    ItemMember(
      "places", .podcastPlace, .list([MemberField("name", .text)] + fields(.geo, .osm, .country, .relation)),
      from: "`podcast:location`"),
  ]

  private static let origin = [
    ItemMember(
      "links", ItemSources(.link, .replies),
      .set([required(.url)] + fields(.relation, .type, .title) + linkEnd),
      from: """
        `atom:link` of `via`, `related`, `replies` and others that fill no other field; an `alternate` (without `rel`) that \
        is not the address of the item; an `enclosure` that has a language
        """),
    ItemMember(
      "content_src", .contentSource, .object([required(.url)] + fields(.type, .title) + linkEnd),
      from: "Atom `content` with `src`"),
    ItemMember(
      "rights", .rights, .value(.text, .text), from: "`atom:rights`, `dc:rights`, `media:copyright`"),
    ItemMember(
      "licenses", .license,
      .set([MemberField("url", .licenseAddress), MemberField("name", .licenseName)]),
      from: """
        `creativeCommons:license`, `cc:license`, `media:license`, `podcast:license`, `dcterms:license`, `atom:link` of \
        `license`
        """),
    ItemMember(
      "source", .source, .object(fields(.id) + [MemberField("title", .either(.title, .text))] + fields(.url)),
      from: "RSS `source`, `atom:source`, `dc:source`"),
    ItemMember("publisher", .publisher, .value(.text, .text), from: "`dc:publisher`"),
    ItemMember(
      "contributors", .contributor, .list(fields(.name, .email, .url)),
      from: "`atom:contributor`, `dc:contributor`"),
    ItemMember("valid", .valid, .value(.text, .text), from: "`dcterms:valid`"),
    ItemMember(
      "original_url", .originalLink, .value(.url, .text), from: "`feedburner:origLink`, `pheedo:origLink`"),
    ItemMember("draft", .draft, .value(.text, .flag), from: "`app:draft` inside `app:control`"),
  ]

  // MARK: Objects

  private static let textFile = [required(.url)] + fields(.type, .language, .relation)

  private static let mediaFile = fields(
    .type, .medium, .size, .duration, .width, .height, .language, .bitrate, .framerate, .samplingRate,
    .channels,
    .isDefault, .expression)

  private static let linkEnd = [MemberField("hreflang", .language), MemberField("length", .size, .whole)]

  /// Returns fields with their usual names and types.
  private static func fields(_ fields: ParsedExtension.Field...) -> [MemberField] {
    fields.map { field in
      guard let (name, type) = usual[field] else { preconditionFailure("The field has no usual name.") }
      return MemberField(name, field, type)
    }
  }

  /// Returns a field with its usual name and type. Without it the element prints nothing.
  private static func required(_ field: ParsedExtension.Field) -> MemberField {
    let usual = fields(field)[0]
    return MemberField(usual.name, usual.content, absence: .dropsElement)
  }

  /// The fields' usual names and types.
  private static let usual: [ParsedExtension.Field: (StaticString, MemberField.ValueType)] = [
    .url: ("url", .text), .type: ("type", .text), .title: ("title", .text), .name: ("name", .text),
    .email: ("email", .text), .id: ("id", .text), .language: ("language", .text), .relation: ("rel", .text),
    .scheme: ("scheme", .text), .label: ("label", .text), .role: ("role", .text), .group: ("group", .text),
    .image: ("image", .text), .size: ("size_in_bytes", .whole), .medium: ("medium", .text),
    .width: ("width", .whole), .height: ("height", .whole), .duration: ("duration_in_seconds", .seconds),
    .start: ("start_in_seconds", .decimal), .source: ("source", .text),
    .geo: ("geo", .text), .osm: ("osm", .text), .country: ("country", .text),
    .bitrate: ("bitrate", .decimal), .codecs: ("codecs", .text), .isDefault: ("default", .flag),
    .protocol: ("protocol", .text), .accountID: ("account_id", .text), .accountURL: ("account_url", .text),
    .priority: ("priority", .whole), .value: ("value", .text), .algorithm: ("algorithm", .text),
    .framerate: ("framerate", .decimal),
    .samplingRate: ("samplingrate", .decimal), .channels: ("channels", .whole),
    .expression: ("expression", .text),
  ]
}
