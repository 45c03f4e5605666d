internal import Foundation

/// A `Codable` value that an attribute holds as JSON text: a list, a dictionary, or a structure.
///
/// ```swift
/// let keywords = Attribute<JSONValue<[String]>>("keywords", default: JSONValue([]))
///
/// book.keywords = JSONValue(["sea", "whale"])
/// print(book.keywords.content ?? [])
/// ```
///
/// The same content has the same text, because keys are sorted: `\.keywords == JSONValue(["sea"])` finds it.
/// Texts have no useful order. A date in the content is in seconds since 1970.
///
/// Content that cannot be encoded is refused by the save, as ``ValidationError/Cause/wrongType(expected:)``.
public struct JSONValue<Content: Codable & Sendable>: AttributeConvertible, Hashable {
  /// The text; no text if the content cannot be encoded.
  public let attributeValue: AttributeValue

  /// Creates a value.
  public init(_ content: Content) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .secondsSince1970
    let json = try? encoder.encode(content)
    attributeValue = json.map { .text(String(decoding: $0, as: UTF8.self)) } ?? .bytes([])
  }

  /// The content; nil if the text is not JSON of this type, such as a text from a newer program.
  ///
  /// Each use decodes the text. A value that cannot be read stays as it is until another one is set.
  public var content: Content? {
    guard case .text(let text) = attributeValue else { return nil }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .secondsSince1970
    return try? decoder.decode(Content.self, from: Data(text.utf8))
  }

  public init?(attributeValue stored: AttributeValue) {
    guard case .text = stored else { return nil }
    attributeValue = stored
  }

  private init(text: String) { attributeValue = .text(text) }

  public static var attributeType: AttributeType { .text }

  /// An empty text, whose ``content`` is nil.
  public static var placeholder: JSONValue { JSONValue(text: "") }
}
