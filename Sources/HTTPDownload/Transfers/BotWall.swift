/// The signs of walls against programs, which services such as Cloudflare place in front of servers.
package enum BotWall {
  /// A header field in a wall's own answers.
  private struct Sign {
    let field: HeaderBlock.Field
    /// The values in lower case; nil for any value.
    var values: [String]?
    /// The statuses that the answers may have; nil for any answer without a document.
    var statuses: [Int]?
  }

  private static let signs = [
    Sign(field: .cloudflareAction, values: actions), Sign(field: .wafAction, values: actions),
    Sign(field: .vercelAction, values: actions),
    Sign(
      field: .server, values: ["ddos-guard", "sucuri/cloudproxy", "akamaighost"], statuses: [403, 429, 503]),
    Sign(field: .dataDome, statuses: [403]), Sign(field: .incapsula, statuses: [403]),
  ]
  private static let actions = ["challenge", "captcha"]

  /// Texts, in lower case, that occur only in walls' pages: Anubis, Incapsula, Sucuri, DataDome, DDoS-Guard,
  /// Akamai.
  private static let marks = [
    "anubis_challenge", "making sure you're not a bot", "making sure you&#39;re not a bot",
    "incapsula incident", "sucuri website firewall", "sucuri_cloudproxy_js", "captcha-delivery.com",
    "ddos-guard/js-challenge",
    "sec-if-cpt-container",
  ]

  /// The number of bytes examined at the start of a page.
  private static let pageBytes = 64 << 10

  /// Returns whether the head belongs to a wall's answer. The answer must contain no document.
  static func refuses(_ block: HeaderBlock) -> Bool {
    signs.contains { sign in
      guard let value = block.text(sign.field)?.lowercased() else { return false }
      return sign.values?.contains(value) ?? true && sign.statuses?.contains(block.status) ?? true
    }
  }

  /// Returns whether a refusal's body begins like a wall's page.
  static func isRefusal(_ body: [UInt8]) -> Bool { contains(actions + marks, in: body) }

  /// Returns whether a page that came instead of a document is a wall's page.
  package static func isPage(_ page: [UInt8]) -> Bool { contains(marks, in: page) }

  private static func contains(_ texts: [String], in page: [UInt8]) -> Bool {
    let text = String(decoding: page.prefix(pageBytes), as: UTF8.self).lowercased()
    return texts.contains { text.contains($0) }
  }
}
