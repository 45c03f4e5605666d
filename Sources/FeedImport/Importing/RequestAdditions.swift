import Foundation
import HTTPDownload
import WebAddress

/// What the user adds to the requests for a feed.
///
/// Header fields and credentials belong to the feed's own scheme, host and port: they follow no redirect elsewhere, and
/// are not sent to where the feed has moved. The user agent goes everywhere.
public struct RequestAdditions: Sendable {
  /// Replaces the run's User-Agent; nil leaves it.
  public var userAgent: String?
  /// Sent in their order.
  public var headers: [(name: String, value: Secret)] = []
  /// Proves who asks; beside those in the feed's address, which they replace.
  public var credentials: Credentials?

  /// Nothing.
  public init() {}

  /// Who asks.
  public enum Credentials: Sendable {
    /// A user and a password (RFC 7617).
    case basic(user: String, password: Secret)
    /// A token (RFC 6750).
    case bearer(Secret)
  }

  /// Whether a header field can be sent: the name is a token and the value one line.
  public static func isSendable(name: String, value: String) -> Bool {
    HeaderField(name, value).isSendable
  }

  /// Whether something must not leave the feed's own host.
  var isBoundToHost: Bool { credentials != nil || !headers.isEmpty }

  /// What may go to other hosts, too.
  var elsewhere: RequestAdditions {
    var additions = RequestAdditions()
    additions.userAgent = userAgent
    return additions
  }

  /// What is asked of whom, and by whom: the same for requests that are one to the server. An address that is not valid
  /// stands for itself.
  func identity(at address: WebAddress) -> String {
    let user = address.userInformation
    let own = (address.target ?? address.text) + (user.isEmpty ? "" : "\n" + user)
    guard isBoundToHost || userAgent != nil else { return own }
    let lines = fields.map { "\($0.name): \(String(decoding: $0.value, as: UTF8.self))" }
    return ([own, userAgent ?? ""] + lines).joined(separator: "\n")
  }

  /// The header fields, with the credentials' own.
  var fields: [HeaderField] {
    headers.map { HeaderField($0.name, $0.value.text) } + (credentials.map { [$0.field] } ?? [])
  }
}

extension RequestAdditions.Credentials {
  fileprivate var field: HeaderField {
    switch self {
    case .basic(let user, let password):
      HeaderField(
        "Authorization", "Basic " + Data("\(user):\(password.text)".utf8).base64EncodedString())
    case .bearer(let token):
      HeaderField("Authorization", "Bearer " + token.text)
    }
  }
}

/// A text that nothing prints: described, dumped or put into another text, it keeps itself to itself.
public struct Secret: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  let text: String

  /// Keeps `text`.
  public init(_ text: String) {
    self.text = text
  }

  /// Never the text.
  public var description: String { "(secret)" }
  /// Never the text.
  public var debugDescription: String { description }
  /// Without children.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
