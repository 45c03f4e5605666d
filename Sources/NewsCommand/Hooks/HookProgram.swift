import Foundation
import Glibc

/// The program of a hook: the file that a start of its command would find.
enum HookProgram {
  /// Returns the reason why a program cannot be started, as far as the files of the system show it; nil if none is found.
  ///
  /// - Parameters:
  ///   - word: The first word of the command. Without a slash, it is searched in the folders of PATH.
  ///   - environment: The variables of the process that starts it.
  static func problem(of word: String, _ environment: [String: String]) -> HookError? {
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
