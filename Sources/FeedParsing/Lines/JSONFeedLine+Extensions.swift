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

  static func writeTrailers(_ podcast: FeedDetails.Podcast, to json: inout JSONText) {
    json.objects("trailers", podcast.trailers) { trailer, json in
      json.field("url", trailer.url)
      json.field("title", trailer.title)
      json.date("date_published", trailer.published)
      json.field("type", trailer.type)
      json.field("size_in_bytes", trailer.size)
      json.field("season", trailer.season)
    }
  }

  /// What items and the feed have alike.
  static func writeExchange(
    _ values: [PodcastValue], _ texts: [PodcastText], _ places: [PodcastPlace], to json: inout JSONText
  ) {
    json.objects("values", values) { value, json in
      json.field("type", value.type)
      json.field("method", value.method)
      json.field("suggested", value.suggested)
      json.objects("recipients", value.recipients) { recipient, json in
        json.field("name", recipient.name)
        json.field("type", recipient.type)
        json.field("address", recipient.address)
        json.field("split", recipient.split)
        json.flag("fee", recipient.isFee)
        json.field("custom_key", recipient.customKey)
        json.field("custom_value", recipient.customValue)
      }
    }
    json.objects("texts", texts) { text, json in
      json.field("purpose", text.purpose)
      json.field("text", text.text)
    }
    write(places, to: &json)
  }

  private static func write(_ places: [PodcastPlace], to json: inout JSONText) {
    json.objects("places", places) { place, json in
      json.field("name", place.name)
      json.field("geo", place.geo)
      json.field("osm", place.osm)
      json.field("country", place.country)
      json.field("rel", place.relation)
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

}
