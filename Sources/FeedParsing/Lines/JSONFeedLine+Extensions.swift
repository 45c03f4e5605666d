import TextOutput
/// What the fields of JSON Feed do not hold, under `_newsimport` of the feed and of each item.
extension JSONFeedLine {
  /// Adds what the feed says to the members of its `_newsimport`, which is open.
  static func writeModules(of details: FeedDetails, to json: inout JSONText) {
    json.field("id", details.id)
    json.date("date_published", details.published)
    json.date("date_modified", details.modified)
    json.field("generator", details.generator)
    json.field("generator_url", details.generatorURL)
    json.field("generator_version", details.generatorVersion)
    json.field("docs", details.docs)
    json.field("favicon", details.favicon)
    json.field("user_comment", details.userComment)
    if details.isExpired { json.field("expired", true) }
    json.field("publisher", details.publisher)
    json.field("rights", details.rights)
    write(details.licenses, to: &json)
    json.objects("contributors", details.contributors) { person, json in write(person, to: &json) }
    if let person = details.webMaster { json.object("web_master") { json in write(person, to: &json) } }
    json.objects("links", details.links) { link, json in write(link, to: &json) }
    json.field("rating", details.rating)
    json.objects("categories", details.categories) { category, json in write(category, to: &json) }
    json.strings("keywords", details.keywords)
    writeImage(of: details, to: &json)
    writeTextInput(of: details, to: &json)
    writeSchedule(of: details, to: &json)
    writePages(of: details, to: &json)
    writePodcast(details.podcast, to: &json)
  }

  private static func writeImage(of details: FeedDetails, to json: inout JSONText) {
    guard let image = details.image else { return }
    json.object("image") { json in
      json.field("url", image.url)
      json.field("title", image.title)
      json.field("link", image.link)
      json.field("width", image.width)
      json.field("height", image.height)
      json.field("description", image.description)
    }
  }

  private static func writeTextInput(of details: FeedDetails, to json: inout JSONText) {
    guard let input = details.textInput else { return }
    json.object("text_input") { json in
      json.field("title", input.title)
      json.field("description", input.description)
      json.field("name", input.name)
      json.field("link", input.link)
    }
  }

  private static func writeSchedule(of details: FeedDetails, to json: inout JSONText) {
    json.field("ttl_minutes", details.timeToLiveMinutes.map(Int64.init))
    if !details.skipHours.isEmpty {
      json.key("skip_hours")
      json.open("[")
      for hour in details.skipHours { json.number(Double(hour)) }
      json.close("]")
    }
    json.strings("skip_days", details.skipDays)
    json.field("update_period", details.updatePeriod)
    json.field("update_frequency", details.updateFrequency.map(Int64.init))
    json.date("update_base", details.updateBase)
    guard let cloud = details.cloud else { return }
    json.object("cloud") { json in
      json.field("domain", cloud.domain)
      json.field("port", cloud.port)
      json.field("path", cloud.path)
      json.field("register_procedure", cloud.registerProcedure)
      json.field("protocol", cloud.protocol)
    }
  }

  private static func writePages(of details: FeedDetails, to json: inout JSONText) {
    json.field("previous_url", details.pages.previous)
    json.field("first_url", details.pages.first)
    json.field("last_url", details.pages.last)
    json.field("current_url", details.pages.current)
    json.field("next_archive_url", details.pages.nextArchive)
    json.field("previous_archive_url", details.pages.previousArchive)
    if details.isComplete { json.field("complete", true) }
    if details.isArchive { json.field("archive", true) }
  }

  private static func writePodcast(_ podcast: FeedDetails.Podcast, to json: inout JSONText) {
    guard podcast != FeedDetails.Podcast() else { return }
    json.object("podcast") { json in
      json.field("new_feed_url", podcast.newFeedURL)
      json.field("guid", podcast.guid)
      json.field("medium", podcast.medium)
      json.field("type", podcast.type)
      if let owner = podcast.owner { json.object("owner") { json in write(owner, to: &json) } }
      json.flag("explicit", podcast.isExplicit)
      json.flag("block", podcast.isBlocked)
      json.flag("complete", podcast.isComplete)
      json.flag("locked", podcast.isLocked)
      json.field("lock_owner", podcast.lockOwner)
      json.objects("funding", podcast.funding) { funding, json in
        json.field("url", funding.url)
        json.field("text", funding.text)
      }
      json.objects("persons", podcast.persons) { person, json in write(person, to: &json) }
      writeTrailers(podcast, to: &json)
      writeExchange(podcast.values, podcast.texts, podcast.places, to: &json)
    }
  }

  // MARK: Items

  /// Adds `_newsimport` to an item, unless there is nothing to say.
  static func writeModules(of item: ParsedItem, in batch: ParsedItemBatch, to json: inout JSONText) {
    let extensions = ItemExtensions(of: item, in: batch)
    let hasHTMLSummary = item.summaryIsHTML(in: batch)
    guard item.idIsPermaLink != nil || extensions != nil || hasHTMLSummary else { return }
    json.object("_newsimport") { json in
      if hasHTMLSummary { json.field("summary_type", "text/html") }
      json.flag("id_is_permalink", item.idIsPermaLink)
      if let extensions { write(extensions, to: &json) }
    }
  }

  private static func write(_ extensions: ItemExtensions, to json: inout JSONText) {
    writeEpisode(extensions, to: &json)
    writeMedia(extensions, to: &json)
    writeComments(extensions, to: &json)
    json.objects("categories", extensions.categories) { category, json in write(category, to: &json) }
    writePlaces(extensions, to: &json)
    json.objects("links", extensions.links) { link, json in write(link, to: &json) }
    if let link = extensions.contentSource {
      json.object("content_src") { json in write(link, to: &json) }
    }
    json.field("rights", extensions.rights)
    write(extensions.licenses, to: &json)
    if let source = extensions.source {
      json.object("source") { json in
        json.field("id", source.id)
        json.field("title", source.title)
        json.field("url", source.url)
      }
    }
    json.field("publisher", extensions.publisher)
    json.objects("contributors", extensions.contributors) { person, json in write(person, to: &json) }
    json.field("valid", extensions.valid)
    json.field("original_url", extensions.originalURL)
    json.flag("draft", extensions.isDraft)
  }

  private static func writeEpisode(_ extensions: ItemExtensions, to json: inout JSONText) {
    json.field("duration_in_seconds", extensions.duration)
    json.field("season", extensions.season)
    json.field("season_name", extensions.seasonName)
    json.field("episode", extensions.episode)
    json.field("episode_name", extensions.episodeName)
    json.field("episode_type", extensions.episodeType)
    json.field("order", extensions.order)
    json.flag("explicit", extensions.isExplicit)
    json.flag("block", extensions.isBlocked)
    json.objects("transcripts", extensions.transcripts) { file, json in write(file, to: &json) }
    if let chapters = extensions.chapters { json.object("chapters") { json in write(chapters, to: &json) } }
    json.objects("persons", extensions.persons) { person, json in write(person, to: &json) }
    json.objects("soundbites", extensions.soundbites) { part, json in
      json.field("start_in_seconds", part.start)
      json.field("duration_in_seconds", part.duration)
      json.field("title", part.title)
    }
    writeAlternates(extensions, to: &json)
    writeExchange(extensions.values, extensions.texts, [], to: &json)
  }

  private static func writeComments(_ extensions: ItemExtensions, to json: inout JSONText) {
    json.field("comments_url", extensions.commentsURL)
    json.field("comment_feed_url", extensions.commentFeedURL)
    json.field("comment_post_url", extensions.commentPostURL)
    json.field("comment_count", extensions.commentCount)
    json.field("section", extensions.section)
    json.field("department", extensions.department)
    json.field("hit_parade", extensions.hitParade)
    json.objects("in_reply_to", extensions.inReplyTo) { reference, json in
      json.field("id", reference.id)
      json.field("url", reference.url)
      json.field("type", reference.type)
      json.field("source", reference.source)
    }
  }

  // MARK: Parts of both

  private static func write(_ licenses: [FeedDetails.License], to json: inout JSONText) {
    json.objects("licenses", licenses) { license, json in
      json.field("url", license.url)
      json.field("name", license.name)
    }
  }

  private static func write(_ category: FeedDetails.Category, to json: inout JSONText) {
    json.field("term", category.term)
    json.field("scheme", category.scheme)
    json.field("label", category.label)
    json.field("parent", category.parent)
  }

  private static func write(_ link: RelatedLink, to json: inout JSONText) {
    json.field("url", link.url)
    json.field("rel", link.relation)
    json.field("type", link.type)
    json.field("title", link.title)
    json.field("hreflang", link.language)
    json.field("length", link.size)
  }

  static func write(_ person: FeedDetails.Author, to json: inout JSONText) {
    json.field("name", person.name)
    json.field("email", person.email)
    json.field("url", person.url)
    json.field("avatar", person.avatar)
  }

  private static func write(_ person: PodcastPerson, to json: inout JSONText) {
    json.field("name", person.name)
    json.field("role", person.role)
    json.field("group", person.group)
    json.field("url", person.url)
    json.field("image", person.image)
  }

  private static func write(_ file: ItemExtensions.Transcript, to json: inout JSONText) {
    json.field("url", file.url)
    json.field("type", file.type)
    json.field("language", file.language)
    json.field("rel", file.relation)
  }
}
