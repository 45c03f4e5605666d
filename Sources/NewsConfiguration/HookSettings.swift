package import Foundation

/// A configuration table's keys for commands that get its articles.
package struct HookSettings: Sendable, Equatable {
  /// The command for new articles, as words; nil for none.
  var onNew: [String]?
  /// The command for edited articles, as words; nil for none.
  var onEdited: [String]?
  /// The form of the articles.
  package var format: Hook.Format?
  /// The largest number of articles that a command gets at once.
  package var batch: Int?
  /// The longest time for a command, in seconds.
  package var timeout: TimeInterval?

  /// The allowed batch sizes.
  static let batches = 1...1000
  /// The allowed command times, in seconds.
  static let timeouts: ClosedRange<TimeInterval> = 1...86400
  static let standardTimeout: TimeInterval = 60

  var commandKeys: [String] {
    [onNew.map { _ in "on_new" }, onEdited.map { _ in "on_edited" }].compactMap(\.self)
  }
}

extension HookSettings {
  init(_ section: ConfigurationSection) throws(ConfigurationError) {
    onNew = try section.command("on_new")
    onEdited = try section.command("on_edited")
    format = try section.choice("hook_format", of: Hook.Format.self)
    batch = try section.whole("hook_batch")
    if format == .mail, let batch, batch > 1 {
      throw section.error(
        "hook_batch", "a command with hook_format = \"mail\" gets one article; \"mbox\" is for several")
    }
    timeout = try section.seconds("hook_timeout")
  }
}

extension ConfigurationSection {
  /// Reads a command's words.
  fileprivate func command(_ key: String) throws(ConfigurationError) -> [String]? {
    guard let words = try texts(key) else { return nil }
    guard let program = words.first, !program.isEmpty else {
      throw error(key, "no command; its first word is the program")
    }
    guard !words.contains(where: { $0.utf8.contains(0) }) else {
      throw error(key, "a word of a command cannot have a NUL")
    }
    return words
  }
}
