public import Foundation
public import ManagedContext

/// An article that a configured hook could not handle, or a hook that could not run at all.
///
/// The hook's position in the history is already after the article. Until the article is handled, only this
/// row records it.
public final class HookFailure: ManagedObject {
  override public class var entityName: String { "hook_failure" }

  package enum Key {
    package static let hook = AttributeKey<String>(0, "hook")
    package static let event = AttributeKey<String>(1, "event")
    package static let article = AttributeKey<Int64?>(2, "article")
    package static let changed = AttributeKey<Date?>(3, "changed")
    package static let attempts = AttributeKey<Int>(4, "attempts")
    package static let next = AttributeKey<Date>(5, "next_attempt")
    package static let since = AttributeKey<Date>(6, "since")
    package static let isReported = AttributeKey<Bool>(7, "reported")
    package static let program = AttributeKey<String>(8, "program")
    package static let errorCode = AttributeKey<String>(9, "error_code")
    package static let errorNumber = AttributeKey<Int?>(10, "error_number")
    package static let errorDetail = AttributeKey<String?>(11, "error_detail")
  }

  /// The hook's name, such as `region.world.on_new`.
  public var hook: String {
    get { self[Key.hook] }
    set { self[Key.hook] = newValue }
  }
  /// The change's token, which is the same in each attempt; empty for the hook as a whole.
  public var event: String {
    get { self[Key.event] }
    set { self[Key.event] = newValue }
  }
  /// The article's number, which may belong to a deleted article; nil for the hook as a whole.
  public var article: Int64? {
    get { self[Key.article] }
    set { self[Key.article] = newValue }
  }
  /// The change's date; nil for the hook as a whole.
  public var changed: Date? {
    get { self[Key.changed] }
    set { self[Key.changed] = newValue }
  }
  /// Failed attempts.
  public var attempts: Int {
    get { self[Key.attempts] }
    set { self[Key.attempts] = newValue }
  }
  /// The earliest date for the next attempt.
  public var next: Date {
    get { self[Key.next] }
    set { self[Key.next] = newValue }
  }
  /// The date when it first failed.
  public var since: Date {
    get { self[Key.since] }
    set { self[Key.since] = newValue }
  }
  /// True if the failure was reported to the user (`fetch --mail-after`).
  public var isReported: Bool {
    get { self[Key.isReported] }
    set { self[Key.isReported] = newValue }
  }
  /// The last attempt's program: the first word of the command.
  public var program: String {
    get { self[Key.program] }
    set { self[Key.program] = newValue }
  }
  /// The last failure's code, such as `exit` or `timeout`.
  public var errorCode: String {
    get { self[Key.errorCode] }
    set { self[Key.errorCode] = newValue }
  }
  /// The number that belongs to the code: a status, a signal, a system error, or seconds.
  public var errorNumber: Int? {
    get { self[Key.errorNumber] }
    set { self[Key.errorNumber] = newValue }
  }
  /// The last line in the command's standard error, or nil.
  public var errorDetail: String? {
    get { self[Key.errorDetail] }
    set { self[Key.errorDetail] = newValue }
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
      .attribute(Key.since, \HookFailure.since),
      .attribute(Key.isReported, \HookFailure.isReported),
      .attribute(Key.program, \HookFailure.program),
      .attribute(Key.errorCode, \HookFailure.errorCode),
      .attribute(Key.errorNumber, \HookFailure.errorNumber),
      .attribute(Key.errorDetail, \HookFailure.errorDetail),
    ],
    uniqueness: [["hook", "event"]])
}
