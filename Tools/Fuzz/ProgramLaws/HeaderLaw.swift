import FeedImport
import Foundation
import HTTPDownload
import ParserLaws
import WebAddress

/// The law of heads: validators are safe to send back, and waiting times are finite.
enum HeaderLaw {
  static func check(_ input: [UInt8]) throws(Law.Violation) -> Bool {
    var reader = HeaderReader()
    for line in input.split(separator: 0x0A, omittingEmptySubsequences: false) {
      reader.read(Array(line + [0x0A]).span)
    }
    let block = reader.block
    try expect((0...999).contains(block.status), "a status has at most three digits")
    for field in [HeaderBlock.Field.etag, .lastModified] {
      guard let value = block.validator(field, limit: 100) else { continue }
      try expect((1...100).contains(value.count), "a validator has the allowed length")
      try expect(value.allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "a validator cannot begin another line")
    }
    _ = (block.redirectLocation, block.isPartialFeed)
    var head = ResponseHead(status: block.status, address: WebAddress("http://example.org/"))
    (head.cacheControl, head.expires, head.date) = (
      block.text(.cacheControl), block.text(.expires), block.text(.date)
    )
    let now = Date(timeIntervalSince1970: 1_700_000_000)
    if let lifetime = Freshness.lifetime(of: head, at: now) {
      try expect(lifetime.isFinite && lifetime >= 0, "an answer is fresh for \(lifetime) s")
    }
    if let wait = RetryAfter.seconds(block.text(.retryAfter), at: now) {
      try expect(wait.isFinite && wait >= 0, "a server asks to wait for \(wait) s")
    }
    return true
  }
}
