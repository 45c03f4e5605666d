/// A server's reaction to one request: bytes to send and intended errors, in order.
public struct ScriptedResponse: Sendable {
  /// One step of a response.
  public enum Step: Sendable {
    /// Sends bytes.
    case send([UInt8])
    /// Sends the beginning of a file, a number of bytes.
    case sendFile(path: String, count: Int)
    /// Sends the bytes repeatedly until the client disconnects.
    case sendForEver([UInt8])
    /// Waits until the gate is open. Ends if the client disconnects.
    case wait(Gate)
    /// Does nothing until the client disconnects.
    case hang
    /// Resets the connection, so that the client loses unread data.
    case reset
  }

  /// The steps, in order.
  public var steps: [Step]
  /// True if the connection serves further requests; false closes it.
  public var keepsConnection: Bool

  /// Creates a response of any steps. By default the connection is closed after them.
  public init(_ steps: Step..., keepsConnection: Bool = false) {
    self.steps = steps
    self.keepsConnection = keepsConnection
  }

  /// Returns a valid response with its correct length.
  ///
  /// - Parameter headers: Lines without line ends, such as `ETag: "a"`.
  public static func status(
    _ code: Int, _ reason: String = "OK", headers: [String] = [], body: [UInt8] = []
  ) -> ScriptedResponse {
    // RFC 9110: these have no body, and a length would describe another response.
    let hasLength = code >= 200 && code != 204 && code != 304
    let length = hasLength ? ["Content-Length: \(body.count)"] : []
    return ScriptedResponse(
      .send(head(code, reason, headers: length + headers) + body), keepsConnection: true)
  }

  /// Returns a response with status 200 and a text body.
  public static func ok(_ body: String, headers: [String] = []) -> ScriptedResponse {
    status(200, headers: headers, body: Array(body.utf8))
  }

  /// Returns a redirect.
  public static func redirect(_ code: Int, to location: String) -> ScriptedResponse {
    status(code, "Moved", headers: ["Location: \(location)"])
  }

  /// Returns a response with status 200 and a body in chunks.
  public static func chunked(_ chunks: [[UInt8]], headers: [String] = []) -> ScriptedResponse {
    let lines = chunks.flatMap { Array("\(String($0.count, radix: 16))\r\n".utf8) + $0 + Array("\r\n".utf8) }
    let head = head(200, "OK", headers: ["Transfer-Encoding: chunked"] + headers)
    return ScriptedResponse(.send(head + lines + Array("0\r\n\r\n".utf8)), keepsConnection: true)
  }

  /// Returns a reaction that sends bytes instead of a response and closes the connection.
  public static func raw(_ text: String) -> ScriptedResponse {
    ScriptedResponse(.send(Array(text.utf8)))
  }

  /// Returns the response truncated after a number of bytes of its first step. The connection is closed then.
  public func cut(after count: Int) -> ScriptedResponse {
    guard case .send(let bytes) = steps.first else { return self }
    return ScriptedResponse(.send(Array(bytes.prefix(count))))
  }

  /// Returns the response after waiting for a gate.
  public func after(_ gate: Gate) -> ScriptedResponse {
    var response = self
    response.steps.insert(.wait(gate), at: 0)
    return response
  }

  /// Returns a response's head with its empty line.
  public static func head(_ code: Int, _ reason: String, headers: [String]) -> [UInt8] {
    Array((["HTTP/1.1 \(code) \(reason)"] + headers).joined(separator: "\r\n").utf8) + Array("\r\n\r\n".utf8)
  }
}
