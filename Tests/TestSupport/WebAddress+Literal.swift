public import WebAddress

/// Literals, so that tests can write addresses as texts.
extension WebAddress: ExpressibleByStringInterpolation {
  public init(stringLiteral value: String) { self.init(value) }
}
