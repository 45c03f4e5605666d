import FeedImport
import TextOutput

extension LoadedConfiguration {
  /// The settings in force for all polls, without command-line options, as keys and texts.
  package var importValues: [(key: String, value: String)] {
    let options = importOptions()
    return [
      ("user_agent", options.userAgent), ("fetch.jobs", "\(options.jobs)"),
      ("fetch.per_host", "\(options.perHost)"), ("fetch.timeout", durationText(options.timeout)),
      ("fetch.connect_timeout", durationText(options.connectTimeout)),
      ("fetch.max_body", "\(grouped(options.maxBody)) bytes"), ("fetch.public_only", "\(options.publicOnly)"),
      ("schedule.floor", durationText(options.schedule.floor)),
      ("schedule.ceiling", durationText(options.schedule.ceiling)),
    ]
  }
}

extension ConfiguredCredentials {
  /// The credentials as text, with the secret's location.
  package var summary: String {
    switch self {
    case .basic(let user, let source): "user \(user), password (from \(source.name))"
    case .bearer(let source): "bearer (from \(source.name))"
    }
  }
}
