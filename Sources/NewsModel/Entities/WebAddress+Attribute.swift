public import ManagedContext
public import WebAddress

/// An address is stored as its text.
extension WebAddress: TextAttribute {
  public static var attributeType: AttributeType { .text }
  public static var placeholder: WebAddress { WebAddress("") }
  public var attributeValue: AttributeValue { .text(text) }

  public init?(attributeValue: AttributeValue) {
    guard case .text(let text) = attributeValue else { return nil }
    self.init(text)
  }
}
