public import WebAddress

/// Tests write addresses as texts.
extension WebAddress: ExpressibleByStringInterpolation {
  public init(stringLiteral value: String) { self.init(value) }
}
