import Glibc
import Threading

/// A small HTTP/1.1 server on 127.0.0.1 for tests and the demonstration. It has a thread for each connection and
/// records every request.
public final class LoopbackHTTPServer: Sendable {
  /// Answers a request, on its connection's thread.
  public typealias Handler = @Sendable (ReceivedRequest) -> ScriptedResponse

  /// The port of the server.
  public let port: UInt16
  private let listener: Socket
  private let handler: Handler
  private let stopGate = Gate()
  private let record = ServerRecord()
  private let connections = Locked(Connections())
  private let acceptor = Locked<OwnThread?>(nil)

  private struct Connections {
    var isStopped = false
    var open: [Int: Socket] = [:]
    var threads: [Int: OwnThread] = [:]
    /// Connections whose threads have ended or are about to, and can be joined.
    var ended: [Int] = []
  }

  /// Starts a server, which runs until ``stop()``.
  ///
  /// - Parameter port: The port; 0 lets the system choose.
  public init(port: UInt16 = 0, handler: @escaping Handler) throws(ServerError) {
    listener = try Socket.listening(port: port)
    self.port = listener.port
    self.handler = handler
    let thread = try OwnThread.serving { [self] in acceptConnections() }
    acceptor.withLock { $0 = thread }
  }

  /// Returns the address of a path, such as `url("/feed.xml")`.
  public func url(_ path: String) -> String {
    "http://127.0.0.1:\(port)\(path)"
  }

  /// All requests so far, in the order of their arrival.
  public var requests: [ReceivedRequest] { record.requests }

  /// The number of connections accepted so far.
  public var connectionCount: Int { record.connectionCount }

  /// The highest number of requests that were being answered at once.
  public var mostRequestsAtOnce: Int { record.mostRequestsAtOnce }

  /// The highest number of connections that were open at once.
  public var mostConnectionsAtOnce: Int { record.mostConnectionsAtOnce }

  /// Waits until a number of requests has arrived.
  public func waitForRequests(_ count: Int) async {
    await record.waitForRequests(count)
  }

  /// Waits until at most this number of connections is open.
  public func waitForConnections(atMost count: Int) async {
    await record.waitForConnections(atMost: count)
  }

  /// Ends all connections and threads, and waits for their end. Gates stay closed, but no thread still waits for them.
  public func stop() {
    stopGate.open()
    let thread = acceptor.withLock { thread in
      defer { thread = nil }
      return thread
    }
    thread?.join()
    listener.shutDown()
    let threads = connections.withLock { state in
      state.isStopped = true
      for socket in state.open.values { socket.shutDown() }
      defer { state.threads = [:] }
      return Array(state.threads.values)
    }
    for thread in threads { thread.join() }
  }

  // MARK: Connections

  private func acceptConnections() {
    while let ready = Readiness.wait(readable: [stopGate.descriptor, listener.descriptor]), !ready.contains(0)
    {
      joinEnded()
      guard let socket = listener.accept() else { continue }
      // A client that has closed a connection before it opened this one is not counted with both, even if the thread of the first
      // one has not noticed that yet. It may also have closed this one while it waited to be accepted.
      let others = connections.withLock { Array($0.open.values) }.count { !$0.isLeftByClient }
      let number = record.openConnection(beside: socket.isLeftByClient ? 0 : others)
      connections.withLock { $0.open[number] = socket }
      do throws(ServerError) {
        let thread = try OwnThread.serving { [self] in serve(socket, number) }
        connections.withLock { $0.threads[number] = thread }
      } catch {
        // The client sees that the connection closes, which is sufficient for a test server.
        close(number)
      }
    }
  }

  /// Joins threads that have ended, so that a long-running server does not accumulate them.
  private func joinEnded() {
    let threads = connections.withLock { state in
      let ended = state.ended.filter { state.threads[$0] != nil }
      state.ended.removeAll { ended.contains($0) }
      return ended.compactMap { state.threads.removeValue(forKey: $0) }
    }
    for thread in threads { thread.join() }
  }

  private func close(_ number: Int) {
    connections.withLock { state in
      state.open[number] = nil
      state.ended.append(number)
    }
    record.closeConnection()
  }

  private func serve(_ socket: Socket, _ number: Int) {
    defer { close(number) }
    var reader = RequestReader(socket: socket, connection: number)
    while let request = reader.next() {
      record.begin(request)
      let keepsConnection = play(handler(request), on: socket)
      guard keepsConnection, request.text(of: "Connection")?.lowercased() != "close" else { return }
    }
  }

  // MARK: Responses

  /// Performs the steps of a response; returns false if the connection must be closed.
  ///
  /// The request counts as ended before its last bytes are sent. A client that has received them may send the next
  /// request at once on another connection, and must not be counted twice.
  private func play(_ response: ScriptedResponse, on socket: Socket) -> Bool {
    var isRunning = true
    defer { if isRunning { record.end() } }
    for (place, step) in response.steps.enumerated() {
      if case .send = step, place == response.steps.count - 1 {
        record.end()
        isRunning = false
      }
      guard play(step, on: socket) else { return false }
    }
    return response.keepsConnection
  }

  private func play(_ step: ScriptedResponse.Step, on socket: Socket) -> Bool {
    switch step {
    case .send(let bytes):
      return socket.send(bytes[...])
    case .sendFile(let path, let count):
      return sendFile(path, count: count, on: socket)
    case .sendForEver(let bytes):
      while socket.send(bytes[...]) {}
      return false
    case .wait(let gate):
      let readable = [stopGate.descriptor, gate.descriptor]
      guard let ready = Readiness.wait(readable: readable, watched: socket) else { return false }
      return !ready.contains(0)
    case .hang:
      _ = Readiness.wait(readable: [stopGate.descriptor], watched: socket)
      return false
    case .reset:
      socket.resetOnClose()
      return false
    }
  }

  private func sendFile(_ path: String, count: Int, on socket: Socket) -> Bool {
    guard let file = FileDescriptor(path: path) else { return false }
    var rest = count
    while rest > 0 {
      let bytes = file.read(atMost: min(rest, 256 << 10))
      // If the file has become shorter, the response is truncated, which the client detects by its length.
      guard !bytes.isEmpty, socket.send(bytes[...]) else { return false }
      rest -= bytes.count
    }
    return true
  }
}

extension OwnThread {
  fileprivate static func serving(_ body: @escaping @Sendable () -> Void) throws(ServerError) -> OwnThread {
    do throws(StartError) {
      return try OwnThread(name: "loopback server", body)
    } catch {
      throw .system("pthread_create", error.code)
    }
  }
}
