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
    json.field("favicon", details.favicon)
    json.field("user_comment", details.userComment)
    if details.isExpired { json.field("expired", true) }
    json.field("rights", details.rights)
    json.objects("links", details.links) { link, json in
      json.field("url", link.url)
      json.field("rel", link.relation)
      json.field("type", link.type)
      json.field("title", link.title)
      json.field("hreflang", link.language)
      json.field("length", link.size)
    }
    json.objects("categories", details.categories) { category, json in
      json.field("term", category.term)
      json.field("scheme", category.scheme)
      json.field("label", category.label)
      json.field("parent", category.parent)
    }
    writeSchedule(of: details, to: &json)
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
  }

  static func write(_ person: FeedDetails.Author, to json: inout JSONText) {
    json.field("name", person.name)
    json.field("email", person.email)
    json.field("url", person.url)
    json.field("avatar", person.avatar)
  }
}
