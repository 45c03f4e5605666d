public import Foundation
public import ManagedContext

/// An article that a hook of the configuration could not handle, or a hook that could not run at all.
///
/// The hook's consumer of the history is past the article: until the article is handled, only this row knows it.
public final class HookFailure: ManagedObject {
  override public class var entityName: String { "hook_failure" }

  package enum Key {
    package static let hook = AttributeKey<String>(0, "hook")
    package static let event = AttributeKey<String>(1, "event")
    package static let article = AttributeKey<Int64?>(2, "article")
    package static let changed = AttributeKey<Date?>(3, "changed")
    package static let attempts = AttributeKey<Int>(4, "attempts")
    package static let next = AttributeKey<Date>(5, "next_attempt")
    package static let status = AttributeKey<Int?>(6, "status")
    package static let error = AttributeKey<String>(7, "error")
    package static let since = AttributeKey<Date>(8, "since")
    package static let isTold = AttributeKey<Bool>(9, "told")
  }

  /// The name of the hook, such as `region.world.on_new`.
  public var hook: String {
    get { self[Key.hook] }
    set { self[Key.hook] = newValue }
  }
  /// The token of the change, which is the same in each attempt; empty for the hook as a whole.
  public var event: String {
    get { self[Key.event] }
    set { self[Key.event] = newValue }
  }
  /// The number of the article, which may be deleted; nil for the hook as a whole.
  public var article: Int64? {
    get { self[Key.article] }
    set { self[Key.article] = newValue }
  }
  /// The date of the change; nil for the hook as a whole.
  public var changed: Date? {
    get { self[Key.changed] }
    set { self[Key.changed] = newValue }
  }
  /// The number of failed attempts.
  public var attempts: Int {
    get { self[Key.attempts] }
    set { self[Key.attempts] = newValue }
  }
  /// The earliest date of the next attempt.
  public var next: Date {
    get { self[Key.next] }
    set { self[Key.next] = newValue }
  }
  /// The exit status of the last attempt; nil if the command did not end by itself.
  public var status: Int? {
    get { self[Key.status] }
    set { self[Key.status] = newValue }
  }
  /// The cause of the last failure.
  public var error: String {
    get { self[Key.error] }
    set { self[Key.error] = newValue }
  }
  /// The date of the first failure.
  public var since: Date {
    get { self[Key.since] }
    set { self[Key.since] = newValue }
  }
  /// True if the failure was reported to the user (`fetch --mail-after`).
  public var isTold: Bool {
    get { self[Key.isTold] }
    set { self[Key.isTold] = newValue }
  }

  static let entity = EntityDescription(
    entityName, class: HookFailure.self,
    properties: [
      .attribute(Key.hook, \HookFailure.hook),
      .attribute(Key.event, \HookFailure.event),
      .attribute(Key.article, \HookFailure.article),
      .attribute(Key.changed, \HookFailure.changed),
      .attribute(Key.attempts, \HookFailure.attempts),
      .attribute(Key.next, \HookFailure.next),
      .attribute(Key.status, \HookFailure.status),
      .attribute(Key.error, \HookFailure.error),
      .attribute(Key.since, \HookFailure.since),
      .attribute(Key.isTold, \HookFailure.isTold),
    ],
    uniqueness: [["hook", "event"]])
}
