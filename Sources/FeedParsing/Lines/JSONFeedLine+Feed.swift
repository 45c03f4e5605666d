import TextOutput

/// The members in the feed's `_newsimport`, for properties without a JSON Feed field.
extension JSONFeedLine {
  /// Adds the feed's properties to its `_newsimport`, which is open.
  static func writeModules(of details: FeedDetails, to json: inout JSONText) {
    let elements = ItemMemberWriter(details.parts)
    json.field("id", details.id)
    json.date("date_published", details.published)
    json.date("date_modified", details.modified)
    json.field("generator", details.generator)
    json.field("generator_url", details.generatorURL)
    json.field("generator_version", details.generatorVersion)
    elements.write(ItemMember.docs, to: &json)
    json.field("favicon", details.favicon)
    json.field("user_comment", details.userComment)
    if details.isExpired { json.field("expired", true) }
    elements.write(ItemMember.publisher, to: &json)
    json.field("rights", details.rights)
    elements.write(ItemMember.subjects, to: &json)
    writeSchedule(of: details, to: &json)
    elements.write(ItemMember.cloud, to: &json)
    writePages(of: details, to: &json)
    var podcast = JSONText()
    elements.write(ItemMember.feedPodcast, to: &podcast)
    if !podcast.bytes.isEmpty { json.object("podcast") { $0.append(elements: podcast.bytes) } }
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

  static func write(_ person: FeedDetails.Author, to json: inout JSONText) {
    json.field("name", person.name)
    json.field("email", person.email)
    json.field("url", person.url)
    json.field("avatar", person.avatar)
  }
}
