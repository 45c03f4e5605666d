import TextOutput

/// The members in the feed's `_newsimport`, for properties without a JSON Feed field.
extension JSONFeedLine {
  /// Adds the feed's properties to its `_newsimport`, which is open.
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
    json.objects("licenses", details.licenses) { license, json in
      json.field("url", license.url)
      json.field("name", license.name)
    }
    json.objects("contributors", details.contributors) { person, json in write(person, to: &json) }
    json.object("web_master", details.webMaster) { person, json in write(person, to: &json) }
    json.objects("links", details.links) { link, json in
      json.field("url", link.url)
      json.field("rel", link.relation)
      json.field("type", link.type)
      json.field("title", link.title)
      json.field("hreflang", link.language)
      json.field("length", link.size)
    }
    json.field("rating", details.rating)
    json.objects("categories", details.categories) { category, json in
      json.field("term", category.term)
      json.field("scheme", category.scheme)
      json.field("label", category.label)
      json.field("parent", category.parent)
    }
    json.strings("keywords", details.keywords)
    json.object("image", details.image) { image, json in
      json.field("url", image.url)
      json.field("title", image.title)
      json.field("link", image.link)
      json.field("width", image.width)
      json.field("height", image.height)
      json.field("description", image.description)
    }
    json.object("text_input", details.textInput) { input, json in
      json.field("title", input.title)
      json.field("description", input.description)
      json.field("name", input.name)
      json.field("link", input.link)
    }
    writeSchedule(of: details, to: &json)
    writePages(of: details, to: &json)
    writePodcast(details.podcast, to: &json)
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
    json.object("cloud", details.cloud) { cloud, json in
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
      json.object("owner", podcast.owner) { owner, json in write(owner, to: &json) }
      json.flag("explicit", podcast.isExplicit)
      json.flag("block", podcast.isBlocked)
      json.flag("complete", podcast.isComplete)
      json.flag("locked", podcast.isLocked)
      json.field("lock_owner", podcast.lockOwner)
      json.objects("funding", podcast.funding) { funding, json in
        json.field("url", funding.url)
        json.field("text", funding.text)
      }
      json.objects("persons", podcast.persons) { person, json in
        json.field("name", person.name)
        json.field("role", person.role)
        json.field("group", person.group)
        json.field("url", person.url)
        json.field("image", person.image)
      }
      json.objects("trailers", podcast.trailers) { trailer, json in
        json.field("url", trailer.url)
        json.field("title", trailer.title)
        json.date("date_published", trailer.published)
        json.field("type", trailer.type)
        json.field("size_in_bytes", trailer.size)
        json.field("season", trailer.season)
      }
      writeValues(podcast.values, to: &json)
      json.objects("texts", podcast.texts) { text, json in
        json.field("purpose", text.purpose)
        json.field("text", text.text)
      }
      json.objects("places", podcast.places) { place, json in
        json.field("name", place.name)
        json.field("geo", place.geo)
        json.field("osm", place.osm)
        json.field("country", place.country)
        json.field("rel", place.relation)
      }
    }
  }

  private static func writeValues(_ values: [PodcastValue], to json: inout JSONText) {
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
  }

  static func write(_ person: FeedDetails.Author, to json: inout JSONText) {
    json.field("name", person.name)
    json.field("email", person.email)
    json.field("url", person.url)
    json.field("avatar", person.avatar)
  }
}

extension JSONText {
  /// Writes an object; nothing for nil.
  fileprivate mutating func object<Value>(
    _ name: StaticString, _ value: Value?, _ body: (Value, inout JSONText) -> Void
  ) {
    guard let value else { return }
    object(name) { json in body(value, &json) }
  }
}
