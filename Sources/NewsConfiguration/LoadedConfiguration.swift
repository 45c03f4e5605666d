package import FeedImport
import Foundation

/// The configuration with its file's path.
package struct LoadedConfiguration: Sendable {
  /// The file's path, even if the file does not exist.
  package let path: String
  /// True if the file exists.
  package let isThere: Bool
  package let configuration: Configuration
  /// The file's text; empty without a file.
  package let text: String

  package init(path: String, isThere: Bool, configuration: Configuration, text: String) {
    (self.path, self.isThere) = (path, isThere)
    (self.configuration, self.text) = (configuration, text)
  }

  /// The absolute path, for programs that run in another folder; nil without a file.
  package var absolutePath: String? { isThere && path != "-" ? URL(fileURLWithPath: path).path : nil }

  /// A hash over the file's lines without comments and surrounding blanks, equal on all machines with the
  /// same settings.
  package var hash: Int64 {
    let lines = text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
    return contentHash(
      of: Array(lines.filter { !$0.isEmpty && !$0.hasPrefix("#") }.joined(separator: "\n").utf8))
  }

  /// The User-Agent for requests that do not have their own.
  package var userAgent: String { configuration.effectiveUserAgent }

  /// Returns an import's options.
  ///
  /// - Parameter own: The command-line settings, which take precedence over the file.
  package func importOptions(_ own: FetchSettings = FetchSettings()) -> ImportOptions {
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
  package var secretReader: SecretReader {
    SecretReader(
      folder: URL(fileURLWithPath: path).deletingLastPathComponent().path,
      environment: ProcessInfo.processInfo.environment)
  }

  /// The paths to secret files.
  package var secretFiles: [String] {
    let reader = secretReader
    return configuration.secrets.compactMap { source in
      if case .file(let path) = source { reader.absolute(path) } else { nil }
    }
  }
}
