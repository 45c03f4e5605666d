import FeedImport
import Foundation
import Glibc
import TextOutput

/// Reads secrets from the locations that the configuration names, each once.
package struct SecretReader {
  /// The configuration file's folder, against which relative paths are resolved.
  let folder: String
  let environment: [String: String]
  private var known: [SecretSource: Secret] = [:]

  init(folder: String, environment: [String: String]) {
    self.folder = folder
    self.environment = environment
  }

  /// - Throws: An error that does not contain the text that was read. It names the secret by `key`.
  mutating func secret(at source: SecretSource, for key: String) throws(ConfigurationError) -> Secret {
    if let secret = known[source] { return secret }
    let text: String
    switch source {
    case .environment(let name):
      guard let value = environment[name], !value.isEmpty else {
        throw ConfigurationError(
          key, "the environment variable \(name) is not set; export it before the command")
      }
      text = value
    case .file(let path):
      text = try read(absolute(path), for: key)
    }
    // A line end would begin another header field.
    guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
      throw ConfigurationError(
        key, "the secret of \(source.name) has more than one line, or control characters")
    }
    let secret = Secret(text)
    known[source] = secret
    return secret
  }

  /// Resolves a path against the home folder or the configuration's folder.
  func absolute(_ path: String) -> String {
    if path.hasPrefix("~/") { return (environment["HOME"] ?? NSHomeDirectory()) + path.dropFirst() }
    return path.hasPrefix("/") ? path : folder + "/" + path
  }

  /// Returns a file's text, without the line end that editors append. Other users must not be able to read
  /// the file.
  private func read(_ path: String, for key: String) throws(ConfigurationError) -> String {
    // The same descriptor is checked and read, so that the file cannot be exchanged. Opening a pipe does not
    // wait for its other end.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      let cause = errno == ENOENT ? "no such file" : systemCause()
      throw ConfigurationError(key, "\(path): \(cause); write the secret there, and chmod 600 it")
    }
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw ConfigurationError(key, "\(path): not a regular file")
    }
    guard status.st_mode & 0o077 == 0 else {
      let mode = String(status.st_mode & 0o777, radix: 8)
      throw ConfigurationError(key, "\(path): others may use the file (mode \(mode)); chmod 600 it")
    }
    guard let bytes = try? file.read(upToCount: Self.largest + 1) ?? Data(), bytes.count <= Self.largest,
      var text = String(validating: bytes, as: UTF8.self)
    else { throw ConfigurationError(key, "\(path): it cannot be read, or is not a single line of text") }
    if text.last?.isNewline == true { text.removeLast() }
    guard !text.isEmpty else { throw ConfigurationError(key, "\(path): it is empty; write the secret there") }
    return text
  }

  private static let largest = 16 << 10
}

extension SecretSource {
  /// The location for people, without the secret: a path or a variable's name.
  package var name: String {
    switch self {
    case .file(let path): path
    case .environment(let name): name
    }
  }
}
