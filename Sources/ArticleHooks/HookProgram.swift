import Foundation
import Glibc

/// A hook's program: the file that starting its command would find.
package enum HookProgram {
  /// Returns the reason why a program cannot be started, as far as the file system shows it; nil without one.
  ///
  /// - Parameters:
  ///   - word: The command's first word. Without a slash, it is searched in the folders in PATH.
  ///   - environment: The variables in the process that starts it.
  package static func problem(of word: String, _ environment: [String: String]) -> HookError? {
    var isThere = false
    for path in candidates(word, environment) {
      var status = stat()
      guard stat(path, &status) == 0 else { continue }
      if status.st_mode & S_IFMT == S_IFREG, access(path, X_OK) == 0 { return nil }
      isThere = true
    }
    return .notStarted(isThere ? EACCES : ENOENT)
  }

  private static func candidates(_ word: String, _ environment: [String: String]) -> [String] {
    let home = environment["HOME"] ?? "/"
    if word.utf8.first == UInt8(ascii: "/") { return [word] }
    if word.utf8.contains(UInt8(ascii: "/")) { return ["\(home)/\(word)"] }
    let folders = environment["PATH"].flatMap { $0.isEmpty ? nil : $0 } ?? HookEnvironment.standardPath
    return folders.split(separator: ":", omittingEmptySubsequences: false).map { folder in
      folder.utf8.first == UInt8(ascii: "/") ? "\(folder)/\(word)" : "\(home)/\(folder)/\(word)"
    }
  }
}
