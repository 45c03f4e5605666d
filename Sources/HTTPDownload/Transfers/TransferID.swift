/// Identifies one transfer in one ``Downloader``.
public struct TransferID: Sendable, Hashable, CustomStringConvertible {
  /// The number, which counts from 1 in the order of the calls to `start`.
  public let rawValue: UInt64

  /// The number.
  public var description: String { "\(rawValue)" }

  package init(_ rawValue: UInt64) {
    self.rawValue = rawValue
  }
}
