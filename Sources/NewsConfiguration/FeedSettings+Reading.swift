package import FeedImport
import Foundation
import NewsModel
import TextOutput

extension FeedSettings {
  init(_ section: ConfigurationSection) throws(ConfigurationError) {
    interval = try section.duration("interval")
    userAgent = try section.userAgent()
    retention = try section.retention()
    skip = try section.patterns("skip")
    only = try section.patterns("only")
    volatile = try section.fields("volatile", among: Article.volatileNames)
    hooks = try HookSettings(section)
    if let table = try section.section("headers") {
      for name in table.keys { headers.append(try Self.header(name, table, headers)) }
    }
    credentials = try section.section("auth").map {
      (auth) throws(ConfigurationError) in try Self.credentials(auth)
    }
  }

  private static func header(
    _ name: String, _ table: ConfigurationSection, _ others: [ConfiguredHeader]
  ) throws(ConfigurationError) -> ConfiguredHeader {
    if let hint = ownFields[name.lowercased()] { throw table.error(name, hint) }
    guard RequestAdditions.isSendable(name: name, value: "") else {
      throw table.error(name, "not the name of a header field; use letters, digits and hyphens")
    }
    guard !others.contains(where: { $0.isNamed(name) }) else {
      throw table.error(name, "set twice; upper and lower case are the same in names of header fields")
    }
    return ConfiguredHeader(name: name, value: try headerValue(name, table))
  }

  private static func headerValue(
    _ name: String, _ table: ConfigurationSection
  ) throws(ConfigurationError) -> ConfiguredHeader.Value {
    guard table.isTable(name), let place = try table.section(name) else {
      let text = try table.text(name) ?? ""
      guard RequestAdditions.isSendable(name: name, value: text) else {
        throw table.error(name, "the value cannot be sent; write one line of text")
      }
      return .text(text)
    }
    guard let source = try place.secret(file: "file", environment: "env") else {
      throw table.error(
        name, "write its value, or the location of a secret: { file = \"/path\" } or { env = \"VAR\" }")
    }
    return .secret(source)
  }

  private static func credentials(
    _ auth: ConfigurationSection
  ) throws(ConfigurationError) -> ConfiguredCredentials {
    let token = try auth.secret(file: "bearer_file", environment: "bearer_env")
    guard let basic = try auth.section("basic") else {
      guard let token else {
        throw ConfigurationError(
          auth.path,
          "empty; give it basic = { user = \"…\", password_file = \"…\" }, or bearer_file or bearer_env")
      }
      return .bearer(token)
    }
    guard token == nil else { throw ConfigurationError(auth.path, "basic or bearer, not both; remove one") }
    guard let user = try basic.text("user") else {
      throw basic.error("user", "missing; it is the user's name at the server")
    }
    // The text after a colon would be the password (RFC 7617, 2).
    guard !user.contains(":") else {
      throw basic.error("user", "a user's name cannot contain a colon; remove it")
    }
    guard let password = try basic.secret(file: "password_file", environment: "password_env") else {
      throw ConfigurationError(
        basic.path, "the password is missing; give it password_file = \"/path\" or password_env = \"VAR\"")
    }
    return .basic(user: user, password: password)
  }

  /// Fields that every request has, or that change an answer's meaning, with the setting to use instead.
  private static let ownFields: [String: String] = {
    var fields = [
      "authorization": "credentials do not belong in this file; use auth = { basic = … } or bearer_file",
      "user-agent": "use user_agent = \"…\"",
    ]
    for name in [
      "host", "connection", "content-length", "transfer-encoding", "te", "expect", "upgrade", "range",
      "accept-encoding", "if-none-match", "if-modified-since", "a-im", "proxy-authorization",
    ] { fields[name] = "the program sets this field itself; remove it" }
    return fields
  }()
}

extension ConfigurationSection {
  /// Reads a list of field names.
  fileprivate func fields(_ key: String, among known: [String]) throws(ConfigurationError) -> [String]? {
    guard let names = try texts(key) else { return nil }
    for name in names where !known.contains(name) {
      let hint = suggestion(for: name, among: known) ?? "the fields are \(known.joined(separator: ", "))"
      throw error(key, "'\(name)' is not a field that can be volatile; \(hint)")
    }
    return distinct(names)
  }

  /// Reads a secret's location from either of two keys; nil if neither is set.
  fileprivate func secret(file: String, environment: String) throws(ConfigurationError) -> SecretSource? {
    guard !has(file) || !has(environment) else {
      throw ConfigurationError(path, "\(file) or \(environment), not both; remove one")
    }
    if let path = try text(file) {
      guard !path.isEmpty else { throw error(file, "empty; write the path of a file") }
      return .file(path)
    }
    guard let name = try text(environment) else { return nil }
    guard !name.isEmpty, !name.contains("=") else {
      throw error(environment, "not the name of an environment variable")
    }
    return .environment(name)
  }
}

extension FeedSettings {
  /// The settings that an import applies to articles.
  package var ofArticles: ImportSelection.Settings {
    .init(
      filter: ArticleFilter(skip: skip ?? [], only: only ?? []),
      volatile: Article.attributes(named: volatile ?? []))
  }
}
