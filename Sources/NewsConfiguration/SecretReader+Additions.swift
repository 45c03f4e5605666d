package import FeedImport

extension SecretReader {
  /// Returns an error for each missing secret.
  package mutating func errors(_ settings: FeedSettings, of name: String) -> [ConfigurationError] {
    // Each is read separately, because reading stops at the first missing secret.
    var alone = settings.headers.map { FeedSettings(headers: [$0]) }
    alone.append(FeedSettings(credentials: settings.credentials))
    var errors: [ConfigurationError] = []
    for settings in alone {
      do throws(ConfigurationError) {
        _ = try additions(settings, of: name)
      } catch {
        errors.append(error)
      }
    }
    return errors
  }

  /// Returns the request additions for a feed, with their secrets.
  package mutating func additions(
    _ settings: FeedSettings, of url: String
  ) throws(ConfigurationError) -> RequestAdditions {
    var additions = RequestAdditions()
    additions.userAgent = settings.userAgent
    for header in settings.headers {
      let value =
        switch header.value {
        case .text(let text): Secret(text)
        case .secret(let source): try secret(at: source, for: "headers.\(header.name) of \(url)")
        }
      additions.headers.append((header.name, value))
    }
    switch settings.credentials {
    case nil: break
    case .basic(let user, let source):
      additions.credentials = .basic(
        user: user, password: try secret(at: source, for: "auth.basic of \(url)"))
    case .bearer(let source):
      additions.credentials = .bearer(try secret(at: source, for: "auth of \(url)"))
    }
    return additions
  }
}
