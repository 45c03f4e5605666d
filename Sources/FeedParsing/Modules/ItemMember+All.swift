extension ItemMember {
  /// All members of an item's `_newsimport`, in the order in which they are printed.
  static let all: [ItemMember] = item + podcast + media + comments + places + origin

  private static let item = [
    ItemMember(
      "summary_type", .htmlSummary, .special(.summaryType),
      from: "a summary that is HTML and would be another text if it were plain"),
    ItemMember("id_is_permalink", .permaLink, .special(.isPermaLink), from: "`isPermaLink` of RSS `guid`"),
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
    ItemMember("order", .order, .value(.text, .whole), from: "`itunes:order`"),
    ItemMember("explicit", .explicit, .value(.text, .flag), from: "`itunes:explicit`"),
    ItemMember(
      "block", .block, .value(.text, .flag),
      from: "`itunes:block`: true if directories are not to list the item"),
    ItemMember("transcripts", .transcript, .list(textFile), from: "`podcast:transcript`"),
    ItemMember("chapters", .chapters, .object(textFile), from: "`podcast:chapters`"),
    ItemMember(
      "persons", .person,
      .list([
        MemberField("name", .text, absence: .empty), MemberField("role", .role), MemberField("group", .group),
        MemberField("url", .url), MemberField("image", .image),
      ]), from: "`podcast:person`"),
    ItemMember(
      "soundbites", .soundbite,
      .list([
        .required("start_in_seconds", .start, .decimal),
        .required("duration_in_seconds", .duration, .decimal),
        MemberField("title", .text),
      ]), from: "`podcast:soundbite`"),
    ItemMember(
      "alternate_enclosures", .alternateEnclosure,
      .list([
        MemberField("type", .type), MemberField("size_in_bytes", .size, .whole),
        MemberField("bitrate", .bitrate, .decimal), MemberField("height", .height, .whole),
        MemberField("language", .language), MemberField("title", .title), MemberField("rel", .relation),
        MemberField("codecs", .codecs), MemberField("default", .isDefault, .flag),
        MemberField(
          "sources", .list(.alternateSource, [.required("url", .url), MemberField("type", .type)])),
        MemberField(
          "integrity", .last(.integrity, [MemberField("type", .type), .required("value", .value)])),
      ]), from: "`podcast:alternateEnclosure` with `podcast:source` and `podcast:integrity`; bits a second"),
    ItemMember(
      "social_interactions", .socialInteraction,
      .list([
        MemberField("url", .url), MemberField("protocol", .protocol), MemberField("account_id", .accountID),
        MemberField("account_url", .accountURL), MemberField("priority", .priority, .whole),
      ]), from: "`podcast:socialInteract`"),
    ItemMember(
      "values", .podcastValue,
      .list([
        MemberField("type", .type), MemberField("method", .method), MemberField("suggested", .suggested),
        MemberField(
          "recipients",
          .list(
            .valueRecipient,
            [
              MemberField("name", .name), MemberField("type", .type), MemberField("address", .address),
              MemberField("split", .split, .whole), MemberField("fee", .fee, .flag),
              MemberField("custom_key", .customKey), MemberField("custom_value", .customValue),
            ])),
      ]), from: "`podcast:value` with `podcast:valueRecipient`"),
    ItemMember(
      "texts", .podcastText, .list([MemberField("purpose", .purpose), .required("text", .text)]),
      from: "`podcast:txt`"),
  ]

  private static let media = [
    ItemMember(
      "media", .media,
      .list(
        mediaFile(.omitted) + [
          MemberField(
            "hashes", .list(.mediaHash, [MemberField("algorithm", .algorithm), .required("value", .text)]))
        ]),
      from: "`media:content`, also inside `media:group`, with `media:hash`; kilobits and pictures a second"),
    ItemMember("thumbnails", .thumbnail, .set(mediaFile(.dropsElement)), from: "`media:thumbnail`"),
    ItemMember(
      "credits", .credit,
      .list([.required("name", .text), MemberField("role", .role), MemberField("scheme", .scheme)]),
      from: "`media:credit`"),
    ItemMember(
      "rating", .rating, .object([.required("value", .text), MemberField("scheme", .scheme)]),
      from: "`media:rating`"),
    ItemMember("player_url", .player, .value(.url, .text), from: "`media:player`"),
    ItemMember(
      "banner_image", .bannerImage, .value(.url, .text), from: "`banner_image` of JSON Feed beside `image`"),
    ItemMember(
      "embed", .embed,
      .object([
        .required("url", .url), MemberField("width", .width, .whole), MemberField("height", .height, .whole),
      ]), from: "`media:embed`"),
    ItemMember(
      "community", .community,
      .merged([
        MemberField("rating_average", .average, .decimal), MemberField("rating_count", .count, .whole),
        MemberField("rating_min", .minimum, .decimal), MemberField("rating_max", .maximum, .decimal),
        MemberField("views", .views, .whole), MemberField("favorites", .favorites, .whole),
        MemberField("tags", .weightedTags),
      ]), from: "`media:starRating`, `media:statistics` and `media:tags` inside `media:community`"),
  ]

  private static let comments = [
    ItemMember(
      "comments_url", ItemSources(.comments, .replies), .special(.commentPage),
      from: "RSS `comments`, else `atom:link` of `replies` that is a page"),
    ItemMember(
      "comment_feed_url", ItemSources(.commentFeed, .replies), .special(.commentFeed),
      from: "`wfw:commentRss`, else `atom:link` of `replies` that is not a page"),
    ItemMember("comment_post_url", .commentPost, .value(.url, .text), from: "`wfw:comment`"),
    ItemMember(
      "comment_count", ItemSources(.commentCount, .replies), .special(.commentCount),
      from: "`slash:comments`, `thr:total`, `thr:count` of a link"),
    ItemMember("section", .section, .value(.text, .text), from: "`slash:section`"),
    ItemMember("department", .department, .value(.text, .text), from: "`slash:department`"),
    ItemMember("hit_parade", .hitParade, .value(.text, .text), from: "`slash:hit_parade`"),
    ItemMember(
      "in_reply_to", .inReplyTo,
      .list([
        MemberField("id", .id), MemberField("url", .url), MemberField("type", .type),
        MemberField("source", .source),
      ]), from: "`thr:in-reply-to`"),
    ItemMember(
      "categories", .category,
      .list([
        MemberField("term", .either(.text, .label), absence: .dropsElement), MemberField("scheme", .scheme),
        MemberField("label", .label),
      ]), from: "categories with more than a term; `tags` has the terms of all"),
  ]

  private static let places = [
    ItemMember(
      "location", ItemSources(.point, .latitude, .longitude, .podcastPlace), .special(.location),
      from: """
        `georss:point`, `gml:pos`, `geo:lat` with `geo:long`, `icbm:latitude` with `icbm:longitude`; else `geo` of \
        `podcast:location`
        """),
    ItemMember(
      "shapes", ItemSources(.line, .polygon, .box, .circle, .positions, .lowerCorner, .upperCorner),
      .special(.shapes),
      from: "`georss:line`, `georss:polygon`, `georss:box`, `georss:circle`, `gml:posList`, `gml:Envelope`"),
    ItemMember(
      "places", .podcastPlace,
      .list([
        MemberField("name", .text), MemberField("geo", .geo), MemberField("osm", .osm),
        MemberField("country", .country), MemberField("rel", .relation),
      ]), from: "`podcast:location`"),
  ]

  private static let origin = [
    ItemMember(
      "links", ItemSources(.link, .replies), .set(link(MemberField("rel", .relation))),
      from: """
        `atom:link` of `via`, `related`, `replies` and others that fill no other member; without `rel` an alternate, or an \
        `enclosure` that has a language
        """),
    ItemMember("content_src", .contentSource, .object(link(nil)), from: "Atom `content` with `src`"),
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
      "source", .source,
      .object([
        MemberField("id", .id), MemberField("title", .either(.title, .text)), MemberField("url", .url),
      ]),
      from: "RSS `source`, `atom:source`, `dc:source`"),
    ItemMember("publisher", .publisher, .value(.text, .text), from: "`dc:publisher`"),
    ItemMember(
      "contributors", .contributor,
      .list([MemberField("name", .name), MemberField("email", .email), MemberField("url", .url)]),
      from: "`atom:contributor`, `dc:contributor`"),
    ItemMember("valid", .valid, .value(.text, .text), from: "`dcterms:valid`"),
    ItemMember(
      "original_url", .originalLink, .value(.url, .text), from: "`feedburner:origLink`, `pheedo:origLink`"),
    ItemMember("draft", .draft, .value(.text, .flag), from: "`app:draft` inside `app:control`"),
  ]

  // MARK: Objects of several members

  private static let textFile: [MemberField] = [
    .required("url", .url), MemberField("type", .type), MemberField("language", .language),
    MemberField("rel", .relation),
  ]

  private static func mediaFile(_ absence: MemberField.Absence) -> [MemberField] {
    [
      MemberField("url", .url, absence: absence), MemberField("type", .type), MemberField("medium", .medium),
      MemberField("size_in_bytes", .size, .whole), MemberField("duration_in_seconds", .duration, .seconds),
      MemberField("width", .width, .whole), MemberField("height", .height, .whole),
      MemberField("language", .language), MemberField("bitrate", .bitrate, .decimal),
      MemberField("framerate", .framerate, .decimal), MemberField("samplingrate", .samplingRate, .decimal),
      MemberField("channels", .channels, .whole), MemberField("default", .isDefault, .flag),
      MemberField("expression", .expression),
    ]
  }

  private static func link(_ relation: MemberField?) -> [MemberField] {
    [.required("url", .url)] + [relation].compactMap(\.self) + [
      MemberField("type", .type), MemberField("title", .title), MemberField("hreflang", .language),
      MemberField("length", .size, .whole),
    ]
  }
}
