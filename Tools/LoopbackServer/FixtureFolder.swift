import Foundation
import TextOutput

/// Answers with the files in a folder, and with 304 to clients that already have them.
public struct FixtureFolder: Sendable {
  private let root: String

  /// Creates a server of an existing folder. Links in its path are resolved once, here.
  public init(_ path: String) throws(ServerError) {
    let root = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    let attributes = try? FileManager.default.attributesOfItem(atPath: root)
    guard attributes?[.type] as? FileAttributeType == .typeDirectory else { throw .notAFolder(path) }
    self.root = root
  }

  /// Returns the response to a request: a file, 304, 404 or 405.
  public func respond(to request: ReceivedRequest) -> ScriptedResponse {
    guard request.method == "GET" || request.method == "HEAD" else {
      return .status(405, "Method Not Allowed", headers: ["Allow: GET, HEAD"])
    }
    guard let file = file(for: request.path) else {
      return .status(
        404, "Not Found", headers: ["Content-Type: text/plain"], body: Array("no such file\n".utf8))
    }
    let validators = ["ETag: \(file.etag)", "Last-Modified: \(file.lastModified)"]
    if file.isKnown(to: request) { return .status(304, "Not Modified", headers: validators) }
    let lines = ["Content-Length: \(file.size)", "Content-Type: \(file.contentType)"] + validators
    let head = ScriptedResponse.Step.send(ScriptedResponse.head(200, "OK", headers: lines))
    guard request.method == "GET" else { return ScriptedResponse(head, keepsConnection: true) }
    return ScriptedResponse(head, .sendFile(path: file.path, count: file.size), keepsConnection: true)
  }

  private func file(for path: String) -> File? {
    guard let decoded = path.removingPercentEncoding, !decoded.utf8.contains(0) else { return nil }
    let parts = decoded.split(separator: "/")
    // A name with a leading dot is hidden or leads outside the folder.
    guard !parts.isEmpty, parts.allSatisfy({ !$0.hasPrefix(".") }) else { return nil }
    let whole = URL(fileURLWithPath: root + "/" + parts.joined(separator: "/")).resolvingSymlinksInPath().path
    guard whole.hasPrefix(root == "/" ? root : root + "/") else { return nil }
    return File(path: whole)
  }
}

/// A file and its properties for HTTP.
private struct File {
  let path: String
  let size: Int
  let etag: String
  let lastModified: String

  init?(path: String) {
    guard let attributes = try? FileManager.default.attributesOfItem(atPath: path),
      attributes[.type] as? FileAttributeType == .typeRegular,
      let size = attributes[.size] as? Int,
      let date = attributes[.modificationDate] as? Date
    else { return nil }
    self.path = path
    self.size = size
    // Nanoseconds are used because a file may be written twice in a second.
    let nanoseconds = UInt64(max(0, date.timeIntervalSince1970) * 1e9)
    etag = "\"\(String(size, radix: 16))-\(String(nanoseconds, radix: 16))\""
    lastModified = CivilDate(date).mail
  }

  /// Returns whether a conditional request names the current state. If-None-Match takes precedence (RFC 9110).
  func isKnown(to request: ReceivedRequest) -> Bool {
    if let known = request.text(of: "If-None-Match") {
      let tags = known.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
      return known == "*" || tags.contains(etag) || tags.contains("W/\(etag)")
    }
    return request.text(of: "If-Modified-Since") == lastModified
  }

  var contentType: String {
    switch (path as NSString).pathExtension.lowercased() {
    case "xml": "text/xml"
    case "rss": "application/rss+xml"
    case "atom": "application/atom+xml"
    case "rdf": "application/rdf+xml"
    case "json": "application/feed+json"
    case "opml": "text/x-opml"
    case "html", "htm": "text/html; charset=utf-8"
    case "txt": "text/plain; charset=utf-8"
    default: "application/octet-stream"
    }
  }
}
