import Foundation
import HTTPDownload
import WebAddress

/// The user's additions to the requests for a feed.
///
/// Header fields and credentials belong to the feed's own scheme, host and port. They are not sent to other
/// redirect targets, nor to a move's target. The user agent is always sent.
public struct RequestAdditions: Sendable {
  /// Replaces the run's User-Agent; nil to keep it.
  public var userAgent: String?
  /// The header fields, in their order.
  public var headers: [(name: String, value: Secret)] = []
  /// The credentials, which replace those in the feed's address.
  public var credentials: Credentials?

  /// No additions.
  public init() {}

  /// The feed's credentials.
  public enum Credentials: Sendable {
    /// A user and a password (RFC 7617).
    case basic(user: String, password: Secret)
    /// A token (RFC 6750).
    case bearer(Secret)
  }

  /// Returns whether a header field can be sent: the name is a token and the value one line.
  public static func isSendable(name: String, value: String) -> Bool {
    HeaderField(name, value).isSendable
  }

  /// True if parts must not be sent to other hosts.
  var isBoundToHost: Bool { credentials != nil || !headers.isEmpty }

  /// The additions that may be sent to other hosts.
  var elsewhere: RequestAdditions {
    var additions = RequestAdditions()
    additions.userAgent = userAgent
    return additions
  }

  /// Returns the identity of a request with these additions: requests with the same identity look the same to
  /// the server. An invalid address is its own identity.
  func identity(at address: WebAddress) -> String {
    let user = address.userInformation
    let own = (address.target ?? address.text) + (user.isEmpty ? "" : "\n" + user)
    guard isBoundToHost || userAgent != nil else { return own }
    let lines = fields.map { "\($0.name): \(String(decoding: $0.value, as: UTF8.self))" }
    return ([own, userAgent ?? ""] + lines).joined(separator: "\n")
  }

  /// The header fields, including the credentials' field.
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

/// A text that is never printed, not even when it is described, dumped or interpolated.
public struct Secret: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  let text: String

  /// Stores `text`.
  public init(_ text: String) {
    self.text = text
  }

  /// A placeholder, never the text.
  public var description: String { "(secret)" }
  /// A placeholder, never the text.
  public var debugDescription: String { description }
  /// Without children.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
