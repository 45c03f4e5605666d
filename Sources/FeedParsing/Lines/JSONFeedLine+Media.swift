import TextOutput
/// What Media RSS, GeoRSS and the podcast namespace say of items, as JSON.
extension JSONFeedLine {
  static func writeMedia(_ extensions: ItemExtensions, to json: inout JSONText) {
    json.objects("media", extensions.media) { file, json in write(file, to: &json) }
    json.objects("thumbnails", extensions.thumbnails) { file, json in write(file, to: &json) }
    json.objects("credits", extensions.credits) { credit, json in
      json.field("name", credit.name)
      json.field("role", credit.role)
      json.field("scheme", credit.scheme)
    }
    if let rating = extensions.rating {
      json.object("rating") { json in
        json.field("value", rating.value)
        json.field("scheme", rating.scheme)
      }
    }
    json.field("player_url", extensions.playerURL)
    json.field("banner_image", extensions.bannerImage)
    if let embed = extensions.embed {
      json.object("embed") { json in
        json.field("url", embed.url)
        json.field("width", embed.width)
        json.field("height", embed.height)
      }
    }
    if let community = extensions.community {
      json.object("community") { json in write(community, to: &json) }
    }
  }

  private static func write(_ file: ItemExtensions.Media, to json: inout JSONText) {
    json.field("url", file.url)
    json.field("type", file.type)
    json.field("medium", file.medium)
    json.field("size_in_bytes", file.size)
    json.field("duration_in_seconds", file.duration)
    json.field("width", file.width)
    json.field("height", file.height)
    json.field("language", file.language)
    json.field("bitrate", file.bitrate)
    json.field("framerate", file.framerate)
    json.field("samplingrate", file.samplingRate)
    json.field("channels", file.channels)
    json.flag("default", file.isDefault)
    json.field("expression", file.expression)
    json.objects("hashes", file.hashes) { hash, json in
      json.field("algorithm", hash.algorithm)
      json.field("value", hash.value)
    }
  }

  private static func write(_ community: ItemExtensions.Community, to json: inout JSONText) {
    json.field("rating_average", community.ratingAverage)
    json.field("rating_count", community.ratingCount)
    json.field("rating_min", community.ratingMinimum)
    json.field("rating_max", community.ratingMaximum)
    json.field("views", community.views)
    json.field("favorites", community.favorites)
    json.objects("tags", community.tags) { tag, json in
      json.field("tag", tag.tag)
      json.field("weight", tag.weight)
    }
  }

  // MARK: Places

  static func writePlaces(_ extensions: ItemExtensions, to json: inout JSONText) {
    if let place = extensions.location {
      json.object("location") { json in
        json.field("latitude", place.latitude)
        json.field("longitude", place.longitude)
      }
    }
    json.objects("shapes", extensions.shapes) { shape, json in
      json.field("type", shape.kind.rawValue)
      json.key("points")
      json.open("[")
      for point in shape.points {
        json.open("[")
        json.number(point.latitude)
        json.number(point.longitude)
        json.close("]")
      }
      json.close("]")
      json.field("radius_in_meters", shape.radius)
    }
    write(extensions.places, to: &json)
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

  // MARK: Podcasts

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

  static func writeAlternates(_ extensions: ItemExtensions, to json: inout JSONText) {
    json.objects("alternate_enclosures", extensions.alternateEnclosures) { file, json in
      json.field("type", file.type)
      json.field("size_in_bytes", file.size)
      json.field("bitrate", file.bitrate)
      json.field("height", file.height)
      json.field("language", file.language)
      json.field("title", file.title)
      json.field("rel", file.relation)
      json.field("codecs", file.codecs)
      json.flag("default", file.isDefault)
      json.objects("sources", file.sources) { source, json in
        json.field("url", source.url)
        json.field("type", source.type)
      }
      guard let integrity = file.integrity else { return }
      json.object("integrity") { json in
        json.field("type", integrity.type)
        json.field("value", integrity.value)
      }
    }
    json.objects("social_interactions", extensions.socialInteractions) { talk, json in
      json.field("url", talk.url)
      json.field("protocol", talk.protocol)
      json.field("account_id", talk.accountID)
      json.field("account_url", talk.accountURL)
      json.field("priority", talk.priority)
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
}
