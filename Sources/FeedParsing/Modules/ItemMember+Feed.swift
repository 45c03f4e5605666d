/// The members of the feed's `_newsimport` that elements fill, as ``JSONFeedLine`` prints them between others.
extension ItemMember {
  static let feed = docs + publisher + subjects + cloud

  static let docs = [ItemMember("docs", .docs, .value(.url, .text))]
  static let publisher = [ItemMember("publisher", .publisher, .value(.text, .text))]

  static let subjects = [
    licenses,
    ItemMember("contributors", .contributor, .set(person)),
    ItemMember("web_master", .webMaster, .object(person)),
    ItemMember("links", .link, .set(link)),
    ItemMember("rating", .rating, .value(.text, .text)),
    ItemMember("categories", .category, .set(category + [MemberField("parent", .parent)])),
    ItemMember("keywords", .keywords, .texts(.text)),
    ItemMember(
      "image", .image,
      .merged([
        MemberField("url", .url), MemberField("title", .title), MemberField("link", .link),
        MemberField("width", .width, .whole), MemberField("height", .height, .whole),
        MemberField("description", .description),
      ])),
    ItemMember(
      "text_input", .textInput,
      .merged([
        MemberField("title", .title), MemberField("description", .description), MemberField("name", .name),
        MemberField("link", .link),
      ])),
  ]

  static let cloud = [
    ItemMember(
      "cloud", .cloud,
      .object([
        MemberField("domain", .scheme), MemberField("port", .port, .whole), MemberField("path", .path),
        MemberField("register_procedure", .registerProcedure), MemberField("protocol", .protocol),
      ]))
  ]

  /// The members of the object `podcast`.
  static let feedPodcast = [
    ItemMember("new_feed_url", .newFeedURL, .value(.url, .text)),
    ItemMember("guid", .guid, .value(.text, .text)),
    ItemMember("medium", .medium, .value(.text, .text)),
    ItemMember("type", .podcastType, .value(.text, .lowercased)),
    ItemMember("owner", .owner, .object(person)),
    ItemMember("explicit", .explicit, .value(.text, .flag)),
    ItemMember("block", .block, .value(.text, .flag)),
    ItemMember("complete", .complete, .value(.text, .flag)),
    ItemMember("locked", .locked, .value(.text, .flag)),
    ItemMember("lock_owner", .locked, .value(.owner, .text)),
    ItemMember("funding", .funding, .list([.required("url", .url), MemberField("text", .text)])),
    persons,
    ItemMember(
      "trailers", .trailer,
      .list([
        .required("url", .url), MemberField("title", .text), MemberField("date_published", .published, .date),
        MemberField("type", .type), MemberField("size_in_bytes", .size, .whole),
        MemberField("season", .season, .decimal),
      ])),
    values, texts, podcastPlaces,
  ]
}
