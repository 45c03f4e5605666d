import FeedImport
import Foundation

/// The configuration with its file's path.
struct LoadedConfiguration: Sendable {
  /// The file's path, even if the file does not exist.
  let path: String
  /// True if the file exists.
  let isThere: Bool
  let configuration: Configuration
  /// The file's text; empty without a file.
  let text: String

  /// The absolute path, for programs that run in another folder; nil without a file.
  var absolutePath: String? { isThere && path != "-" ? URL(fileURLWithPath: path).path : nil }

  /// A hash over the file's lines without comments and surrounding blanks, equal on all machines with the
  /// same settings.
  var hash: Int64 {
    let lines = text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
    return contentHash(
      of: Array(lines.filter { !$0.isEmpty && !$0.hasPrefix("#") }.joined(separator: "\n").utf8))
  }

  /// The User-Agent for requests that do not have their own.
  var userAgent: String { configuration.effectiveUserAgent }

  /// Returns an import's options.
  ///
  /// - Parameter own: The command-line settings, which take precedence over the file.
  func importOptions(_ own: FetchSettings = FetchSettings()) -> ImportOptions {
    var options = ImportOptions(userAgent: userAgent)
    let fetch = configuration.fetch
    options.jobs = own.jobs ?? fetch.jobs ?? options.jobs
    options.perHost = own.perHost ?? fetch.perHost ?? options.perHost
    options.timeout = own.timeout ?? fetch.timeout ?? options.timeout
    // A timeout that the user sets includes the time without an answer.
    if own.timeout != nil || fetch.timeout != nil { options.silenceTimeout = options.timeout }
    options.connectTimeout = own.connectTimeout ?? fetch.connectTimeout ?? options.connectTimeout
    options.maxBody = own.maxBody ?? fetch.maxBody ?? options.maxBody
    options.publicOnly = own.publicOnly ?? fetch.publicOnly ?? options.publicOnly
    options.schedule = Schedule(configuration.schedule)
    options.loadsInBulk = true
    options.workers = max(1, ProcessInfo.processInfo.activeProcessorCount)
    return options
  }

  /// A reader for the secrets that the configuration names.
  var secretReader: SecretReader {
    SecretReader(
      folder: URL(fileURLWithPath: path).deletingLastPathComponent().path,
      environment: ProcessInfo.processInfo.environment)
  }

  /// The paths to secret files.
  var secretFiles: [String] {
    let reader = secretReader
    return configuration.secrets.compactMap { source in
      if case .file(let path) = source { reader.absolute(path) } else { nil }
    }
  }

  /// Returns the command failure for an error in the configuration.
  func failure(_ error: ConfigurationError) -> CommandFailure { Self.failure(error, path) }

  private static func failure(_ error: ConfigurationError, _ path: String) -> CommandFailure {
    CommandFailure(.configuration, "\(path): \(error.place.map { "\($0): " } ?? "")\(error.cause)")
  }

  /// Reads the file.
  ///
  /// - Parameter isNamed: True if the user named the file, which must then exist.
  /// - Throws: ``CommandFailure`` with status 66 if a named file does not exist, else 78.
  fileprivate init(path: String, isNamed: Bool) throws {
    self.path = path
    isThere = isNamed || FileManager.default.fileExists(atPath: path)
    guard isThere else {
      configuration = Configuration()
      text = ""
      return
    }
    let bytes: [UInt8]
    do {
      bytes = try InputFile.read(path, limit: Self.largest)
    } catch let failure as CommandFailure where failure.status != .noInput {
      throw CommandFailure(.configuration, failure.message ?? path)
    }
    do throws(ConfigurationError) {
      guard let text = String(validating: bytes, as: UTF8.self) else {
        throw ConfigurationError(nil, "it is not UTF-8; save it in that encoding")
      }
      configuration = try Configuration(toml: text)
      self.text = text
    } catch {
      throw Self.failure(error, path)
    }
  }

  private static let largest = 1 << 20
}

extension ConfigurationOptions {
  /// Reads the configuration. A command that needs none does not look for it.
  ///
  /// - Throws: ``CommandFailure`` for a named file that does not exist, and for errors in the file.
  func load() throws -> LoadedConfiguration {
    do {
      return try LoadedConfiguration(path: path, isNamed: (config ?? Self.named) != nil)
    } catch let failure as CommandFailure where failure.status == .noInput && config == nil {
      throw CommandFailure(
        .noInput, "\(path): no such file, and NEWSIMPORT_CONFIG names it as the configuration")
    }
  }

  /// The file that NEWSIMPORT_CONFIG names; nil if it is not set or empty.
  private static var named: String? {
    ProcessInfo.processInfo.environment["NEWSIMPORT_CONFIG"].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The file's path; the file need not exist.
  var path: String { config ?? Self.named ?? Self.usualPath }

  /// The path that is read if the user names no other file.
  static var usualPath: String {
    let environment = ProcessInfo.processInfo.environment.filter { !$0.value.isEmpty }
    // A relative XDG_CONFIG_HOME must be ignored (XDG Base Directory Specification).
    let folder =
      environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
      ?? (environment["HOME"] ?? NSHomeDirectory()) + "/.config"
    return folder + "/newsimport/config.toml"
  }
}
