/// The reason why some input could not be read.
package struct InputFailure: Error, Sendable, Equatable {
  /// The kinds of reasons.
  package enum Kind: Sendable {
    /// No such file exists.
    case missing
    /// The input is of a kind that is not read, or it is damaged.
    case refused
    /// The system could not read it.
    case system
    /// Nobody waits for the rest any more.
    case stopped
  }

  static let stopped = InputFailure(.stopped, "stopped before its end")

  /// The kind of the reason.
  package let kind: Kind
  /// The cause in words, without the name of the input.
  package let cause: String

  package init(_ kind: Kind, _ cause: String) {
    (self.kind, self.cause) = (kind, cause)
  }
}
