public import Foundation
public import ManagedContext

/// An article that a configured hook could not handle, or a hook that could not run at all.
///
/// The hook's position in the history is already after the article. Until the article is handled, only this
/// row records it.
public final class HookFailure: ManagedObject, Entity {
  override public class var entityName: String { "hook_failure" }

  public struct Schema: Sendable {
    /// The hook's name, such as `region.world.on_new`.
    public let hook = Attribute<String>("hook")
    /// The change's token, which is the same in each attempt; empty for the hook as a whole.
    public let event = Attribute<String>("event")
    /// The article's number, which may belong to a deleted article; nil for the hook as a whole.
    public let article = Attribute<Int64?>("article")
    /// The change's date; nil for the hook as a whole.
    public let changed = Attribute<Date?>("changed", as: .secondsSince1970)
    /// Failed attempts.
    public let attempts = Attribute<Int>("attempts")
    /// The earliest date for the next attempt.
    public let next = Attribute<Date>("next_attempt", as: .secondsSince1970)
    /// The date when it first failed.
    public let since = Attribute<Date>("since", as: .secondsSince1970)
    /// True if the failure was reported to the user (`fetch --report-after`).
    public let isReported = Attribute<Bool>("reported")
    /// The last attempt's program: the first word of the command.
    public let program = Attribute<String>("program")
    /// The last failure's code, such as `exit` or `timeout`.
    public let errorCode = Attribute<String>("error_code")
    /// The number that belongs to the code: a status, a signal, a system error, or seconds.
    public let errorNumber = Attribute<Int?>("error_number")
    /// The last line in the command's standard error, or nil.
    public let errorDetail = Attribute<String?>("error_detail")
  }

  public static let entity = EntityDeclaration(HookFailure.self, Schema(), unique: { [[$0.hook, $0.event]] })
}
