/// What a server does with one request: bytes to send and misbehaviours, in order.
public struct ScriptedResponse: Sendable {
  /// One thing to do.
  public enum Step: Sendable {
    /// Sends bytes.
    case send([UInt8])
    /// Sends so many bytes of a file, from its beginning.
    case sendFile(path: String, count: Int)
    /// Sends the bytes again and again until the client leaves.
    case sendForEver([UInt8])
    /// Goes on when the gate is open; ends when the client leaves.
    case wait(Gate)
    /// Does nothing until the client leaves.
    case hang
    /// Closes the connection with a reset, so that the client loses what it has not read.
    case reset
  }

  /// What is done, in order.
  public var steps: [Step]
  /// Whether the connection serves another request afterwards; otherwise it is closed.
  public var keepsConnection: Bool

  /// A response of any steps, which is closed at their end.
  public init(_ steps: Step..., keepsConnection: Bool = false) {
    self.steps = steps
    self.keepsConnection = keepsConnection
  }

  /// A proper response with its right length.
  ///
  /// - Parameter headers: Lines without line ends, such as `ETag: "a"`.
  public static func status(
    _ code: Int, _ reason: String = "OK", headers: [String] = [], body: [UInt8] = []
  ) -> ScriptedResponse {
    // RFC 9110: these have no body, and a length would be that of another response.
    let hasLength = code >= 200 && code != 204 && code != 304
    let length = hasLength ? ["Content-Length: \(body.count)"] : []
    return ScriptedResponse(
      .send(head(code, reason, headers: length + headers) + body), keepsConnection: true)
  }

  /// A response with status 200 and a body of text.
  public static func ok(_ body: String, headers: [String] = []) -> ScriptedResponse {
    status(200, headers: headers, body: Array(body.utf8))
  }

  /// A redirect.
  public static func redirect(_ code: Int, to location: String) -> ScriptedResponse {
    status(code, "Moved", headers: ["Location: \(location)"])
  }

  /// A response with status 200 whose body comes in chunks.
  public static func chunked(_ chunks: [[UInt8]], headers: [String] = []) -> ScriptedResponse {
    let lines = chunks.flatMap { Array("\(String($0.count, radix: 16))\r\n".utf8) + $0 + Array("\r\n".utf8) }
    let head = head(200, "OK", headers: ["Transfer-Encoding: chunked"] + headers)
    return ScriptedResponse(.send(head + lines + Array("0\r\n\r\n".utf8)), keepsConnection: true)
  }

  /// Bytes instead of a response; the connection is closed after them.
  public static func raw(_ text: String) -> ScriptedResponse {
    ScriptedResponse(.send(Array(text.utf8)))
  }

  /// The same response cut after so many bytes of its first step, and then closed.
  public func cut(after count: Int) -> ScriptedResponse {
    guard case .send(let bytes) = steps.first else { return self }
    return ScriptedResponse(.send(Array(bytes.prefix(count))))
  }

  /// The same response behind a gate.
  public func after(_ gate: Gate) -> ScriptedResponse {
    var response = self
    response.steps.insert(.wait(gate), at: 0)
    return response
  }

  /// A response's head with its empty line.
  public static func head(_ code: Int, _ reason: String, headers: [String]) -> [UInt8] {
    Array((["HTTP/1.1 \(code) \(reason)"] + headers).joined(separator: "\r\n").utf8) + Array("\r\n\r\n".utf8)
  }
}
