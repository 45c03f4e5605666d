package import Foundation
import TextOutput
package import WebAddress

/// A command in the configuration that gets the new or the edited articles in a region, feed or query.
package struct Hook: Sendable, Equatable {
  /// The changes that a hook is for.
  package enum Kind: String, Sendable, CaseIterable {
    case new = "on_new"
    case edited = "on_edited"
  }

  /// The articles that a hook is for.
  package enum Articles: Sendable, Equatable {
    case region(String)
    case feed(WebAddress)
    /// A query, without the `@`.
    case query(String)
  }

  /// The form in which a command gets its articles.
  package enum Format: String, Sendable, CaseIterable {
    /// A line of JSON for each article.
    case json
    /// A message, for programs such as sendmail. A command gets one article.
    case mail
    /// A mailbox.
    case mbox
    /// The text that `show` prints.
    case text
  }

  /// The name, such as `region.world.on_new`: the command's place in the configuration.
  package let name: String
  package let kind: Kind
  package let articles: Articles
  /// The program and its arguments.
  package let command: [String]
  package let format: Format
  /// The most articles at once.
  package let batch: Int
  /// A command's longest time, in seconds.
  package let timeout: TimeInterval

  /// Returns the name of a region's hook.
  package static func name(ofRegion region: String, _ kind: Kind) -> String {
    "region.\(region).\(kind.rawValue)"
  }

  /// Returns the address in a feed hook's name; nil for names of another form or kind.
  package static func address(inName name: String, _ kind: Kind) -> WebAddress? {
    let (start, end) = ("feed.", ".\(kind.rawValue)")
    let bytes = Array(name.utf8)
    guard bytes.starts(with: start.utf8), bytes.reversed().starts(with: end.utf8.reversed()),
      bytes.count > start.utf8.count + end.utf8.count
    else { return nil }
    return WebAddress(
      String(decoding: bytes[start.utf8.count..<(bytes.count - end.utf8.count)], as: UTF8.self))
  }

  /// The name of the change consumer that holds the hook's position.
  package var consumer: String { Self.consumer(of: name) }

  /// Returns the consumer name for a hook's name.
  package static func consumer(of name: String) -> String { prefix + name }

  /// Returns the name of the hook that a consumer belongs to; nil for other consumers.
  package static func name(ofConsumer consumer: String) -> String? {
    consumer.utf8.starts(with: prefix.utf8) ? String(consumer.dropFirst(prefix.count)) : nil
  }

  private static let prefix = "hook:"
}

extension Hook {
  /// The command and its limits as text.
  package var summary: String {
    let form = format == .json ? "" : ", as \(format.rawValue)"
    let size = batch == 1 ? "" : ", \(grouped(batch)) articles at once"
    return "\(command.map(shellWord).joined(separator: " "))\(form)\(size), at most \(durationText(timeout))"
  }

  /// The hook's table, such as `region.world`.
  package var table: String { String(name.dropLast(kind.rawValue.count + 1)) }
}

extension Configuration {
  /// The hooks, by name.
  package var hooks: [Hook] {
    let tables: [(String, Hook.Articles, HookSettings)] =
      regions.map { ("region.\($0.key)", .region($0.key), $0.value.hooks) }
      + feeds.map { ("feed.\($0.key)", .feed(WebAddress($0.key)), $0.value.hooks) }
      + queries.map { ("query.\($0.key)", .query($0.key), $0.value.hooks) }
    let hooks = tables.flatMap { table, articles, settings in
      Hook.Kind.allCases.compactMap { kind -> Hook? in
        guard let command = kind == .new ? settings.onNew : settings.onEdited else { return nil }
        return Hook(
          name: "\(table).\(kind.rawValue)", kind: kind, articles: articles, command: command,
          format: settings.format ?? .json, batch: settings.batch ?? 1,
          timeout: settings.timeout ?? HookSettings.standardTimeout)
      }
    }
    return hooks.sorted { $0.name < $1.name }
  }
}
