/// The reason why some input could not be read.
package struct InputFailure: Error, Sendable, Equatable {
  package enum Kind: Sendable {
    /// No such file exists.
    case missing
    /// The input is damaged or has a kind that is not read.
    case refused
    /// The system could not read it.
    case system
    /// The rest is not needed any more.
    case stopped
  }

  static let stopped = InputFailure(.stopped, "stopped before its end")

  package let kind: Kind
  /// The cause in words, without the input's name.
  package let cause: String

  package init(_ kind: Kind, _ cause: String) {
    (self.kind, self.cause) = (kind, cause)
  }
}
