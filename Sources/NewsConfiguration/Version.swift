/// The program's version.
package enum Version {
  package static let number = "1.0.0"
  /// The user agent without a contact, which only the user can provide.
  package static let userAgent = "newsimport/\(number)"

  /// Returns the user agent with the user's contact: a page, or a mail address.
  package static func userAgent(contact: String) -> String {
    let link = contact.contains("://") ? "+\(contact)" : "mailto:\(contact)"
    return "newsimport/\(number) (\(link))"
  }
}
