import Foundation
import NewsConfiguration

extension LoadedConfiguration {
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
    guard isNamed || FileManager.default.fileExists(atPath: path) else {
      self.init(path: path, isThere: false, configuration: Configuration(), text: "")
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
      self.init(path: path, isThere: true, configuration: try Configuration(toml: text), text: text)
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
  private static var named: String? { UserEnvironment["NEWSIMPORT_CONFIG"] }

  /// The file's path; the file need not exist.
  var path: String { config ?? Self.named ?? Self.usualPath }

  /// The path that is read if the user names no other file.
  static var usualPath: String {
    UserEnvironment.folder("XDG_CONFIG_HOME", orInHome: ".config") + "/newsimport/config.toml"
  }
}
