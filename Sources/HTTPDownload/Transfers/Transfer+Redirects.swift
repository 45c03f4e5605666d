import TextOutput
import WebAddress

/// A transfer's redirects. libcurl does not follow them itself, because ``DownloadSink`` decides about each
/// target and may let the redirect wait.
extension Transfer {
  /// True if the last request was answered by a redirect. An error in its body does not matter.
  var isRedirected: Bool {
    collector.header.isComplete && collector.header.block.redirectLocation != nil && collector.refusal == nil
  }

  /// Finds the redirect's target when its head has arrived.
  func noteLocation() {
    location = collector.header.block.redirectLocation.flatMap {
      try? currentAddress.resolving(WebAddress.text(of: $0))
    }
  }

  /// Decides whether the redirect is followed now, and which fields are sent there.
  ///
  /// Validators go only to their source, and additional header fields only while no redirect has left the
  /// request's origin. libcurl would remove only Authorization and Cookie, but a token may be in any field.
  ///
  /// - Returns: False if the redirect must wait.
  /// - Throws: The reason why it is not followed.
  func mayFollowRedirect() throws(DownloadError) -> Bool {
    guard redirects.count < request.limits.maxRedirects else {
      throw .tooManyRedirects(limit: request.limits.maxRedirects)
    }
    let address = try target()
    if sink.mustWait(toFollow: address, transfer: id) { return false }
    guard sink.mayFollow(to: address, transfer: id) else { throw .redirected(to: address, .hostClosed) }
    let block = collector.header.block
    if let field = block.text(.retryAfter), sink.mustWait(beforeRedirect: field, transfer: id) {
      throw .redirectDelayed
    }
    cookies.take(block.cookies, from: currentAddress)
    redirects.append(Redirect(status: block.status, target: address))
    hop = address
    isAtFirstOrigin = isAtFirstOrigin && address.origin == origin
    return true
  }

  private func target() throws(DownloadError) -> WebAddress {
    guard let location else { throw .invalidAddress(.invalid("a redirect leads to no valid address")) }
    switch location.problem {
    case nil: return location
    case .invalid(let cause): throw .invalidAddress(.invalid(cause))
    case .refusedScheme:
      let scheme = String(location.text.prefix { $0 != ":" }.prefix(20))
      throw .invalidAddress(
        .refusedScheme(
          "a redirect leads to the protocol \(printable(scheme)), and only http and https are fetched"))
    }
  }
}
