import NewsConfiguration
import ParserLaws

/// The law of configurations: any file is read or refused with a cause, always in the same way.
enum ConfigurationLaw {
  static func check(_ input: [UInt8]) throws(Law.Violation) -> Bool {
    let text = String(decoding: input, as: UTF8.self)
    let first = Result { () throws(ConfigurationError) in try Configuration(toml: text) }
    let again = Result { () throws(ConfigurationError) in try Configuration(toml: text) }
    switch (first, again) {
    case (.success(let first), .success(let again)):
      try expect(first == again, "a configuration is read the same again")
    case (.failure(let first), .failure(let again)):
      try expect(first == again, "a configuration is refused for the same cause")
      try expect(!first.cause.isEmpty, "a refused configuration has a cause")
    default: throw Law.Violation("a configuration is always read, or never")
    }
    return true
  }
}
