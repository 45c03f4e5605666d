public import PostgreSQLStore

internal import Foundation
internal import Glibc
internal import Threading

/// A relay in front of the server for tests: it counts round trips, delays bytes, cuts connections, and is silent for a while.
public final class Relay: Sendable {
  /// The moment of a cut.
  public enum Cut: CaseIterable, Sendable {
    /// Before the server gets the statements.
    case before
    /// After the server has executed the statements, and before the client gets the answer.
    case after
  }

  private struct State: Sendable {
    var roundTrips = 0
    var statements = 0
    /// True from a request to its answer.
    var isAsked = false
    /// The number of requests until the cut, with that one.
    var left: (count: Int, cut: Cut)?
    var cuts = 0
    var sockets: Set<Int32> = []
    /// Those of the connections to the server.
    var servers: Set<Int32> = []
    var listener: Int32 = -1
  }

  private let folder: TemporaryFolder
  private let server: String
  private let delay: Duration
  private let dropsNotifications: Bool
  private let state = Locked(State())
  /// True while no bytes are delivered.
  private let isSilent = Monitor(false)

  /// - Parameters:
  ///   - delay: The time of each direction.
  ///   - dropsNotifications: True if clients get no notifications (LISTEN).
  public init(delay: Duration = .zero, dropsNotifications: Bool = false) throws {
    folder = try TemporaryFolder()
    (self.delay, self.dropsNotifications) = (delay, dropsNotifications)
    let address = TestServer.address ?? ""
    server = String(address.split(separator: "host=").last ?? "")
    try listen()
  }

  deinit { stop() }

  /// Returns the address of a schema through the relay.
  public func address(of schema: TestSchema) throws -> StoreAddress { try address(of: schema.address) }

  /// Returns the address of a store through the relay.
  public func address(of store: StoreAddress) throws -> StoreAddress {
    let text = store.text.replacingOccurrences(of: "host=\(server)", with: "host=\(folder.path)")
    guard let address = StoreAddress(text) else { throw POSIXError(.EINVAL) }
    return address
  }

  /// The number of requests that were answered before the next one.
  public var roundTrips: Int { state.withLock { $0.roundTrips } }
  /// The number of statements that were executed; several ones in a simple query are one.
  public var statements: Int { state.withLock { $0.statements } }
  public var cuts: Int { state.withLock { $0.cuts } }

  /// Cuts the connection at a coming request; 1 is the next one.
  public func cut(atRequest count: Int, _ cut: Cut) { state.withLock { $0.left = (count, cut) } }

  /// Delivers no bytes until ``endSilence()``, and refuses nothing: the network is away.
  public func beginSilence() { isSilent.update { $0 = true } }

  /// Delivers what was sent during the silence.
  public func endSilence() { isSilent.update { $0 = false } }

  /// Closes the connections to the server, as the server does some time after a network has become silent. Clients notice it after the
  /// silence.
  public func leaveServer() {
    for socket in state.withLock({ $0.servers }) { shutdown(socket, Int32(SHUT_RDWR)) }
  }

  // MARK: Listening

  private func listen() throws {
    let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    let bound = Self.withAddress(folder.file(".s.PGSQL.5432")) { bind(listener, $0, $1) }
    guard bound == 0, Glibc.listen(listener, 16) == 0 else { throw POSIXError(.EADDRINUSE) }
    state.withLock { $0.listener = listener }
    try OwnThread(name: "relay") { [weak self] in
      while true {
        let client = accept(listener, nil, nil)
        guard client >= 0, let self, state.withLock({ $0.listener == listener }) else { break }
        self.connect(client)
      }
      close(listener)
    }.detach()
  }

  /// Closes all connections, and refuses further ones: the server is away.
  public func stop() {
    let (sockets, listener) = state.withLock { state in
      defer { (state.sockets, state.servers, state.listener) = ([], [], -1) }
      return (state.sockets, state.listener)
    }
    try? FileManager.default.removeItem(atPath: folder.file(".s.PGSQL.5432"))
    if listener >= 0 { shutdown(listener, Int32(SHUT_RDWR)) }
    for socket in sockets { shutdown(socket, Int32(SHUT_RDWR)) }
    endSilence()
  }

  /// Accepts connections again.
  public func start() throws { try listen() }

  private func connect(_ client: Int32) {
    let server = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    let path = self.server.split(separator: "&").first.map(String.init) ?? ""
    guard Self.withAddress(path + "/.s.PGSQL.5432", { Glibc.connect(server, $0, $1) }) == 0 else {
      close(client)
      close(server)
      return
    }
    state.withLock { state in
      state.sockets.formUnion([client, server])
      state.servers.insert(server)
    }
    let pair = Pair(client: client, server: server)
    let (requests, answers) = (Line(to: server, delay, isSilent), Line(to: client, delay, isSilent))
    let bodies: [@Sendable () -> Void] = [
      { [self] in forwardRequests(pair, on: requests) }, { [self] in forwardAnswers(pair, on: answers) },
      { requests.deliver() }, { answers.deliver() },
    ]
    for body in bodies {
      try? OwnThread(name: "relay") { [self] in
        body()
        for line in [requests, answers] { line.end() }
        if pair.users.withLock({ count in
          count -= 1
          return count == 0
        }) {
          state.withLock { state in
            state.sockets.subtract([client, server])
            state.servers.remove(server)
          }
          for socket in [client, server] { close(socket) }
        }
      }.detach()
    }
  }

  private struct Pair: Sendable {
    let client: Int32
    let server: Int32
    let isCut = Locked(false)
    let users = Locked(4)
  }

  // MARK: Forwarding

  /// Forwards whole requests, each of which ends with Sync or is a simple query.
  private func forwardRequests(_ pair: Pair, on line: Line) {
    var held: [UInt8] = []
    var begun = 0
    var isStartup = true
    while let bytes = Self.read(pair.client) {
      held += bytes
      while true {
        let header = isStartup ? 0 : 1
        guard held.count >= begun + header + 4 else { break }
        let length = held[(begun + header)..<(begun + header + 4)].reduce(0) { $0 << 8 | Int($1) }
        guard held.count >= begun + header + length else { break }
        let type = isStartup ? 0 : held[begun]
        begun += header + length
        // Execute, or a simple query.
        if type == UInt8(ascii: "E") || type == UInt8(ascii: "Q") { state.withLock { $0.statements += 1 } }
        let isRequest = type == UInt8(ascii: "S") || type == UInt8(ascii: "Q")
        // A password or the end of a session is no request.
        guard isStartup || isRequest || type == UInt8(ascii: "X") || type == UInt8(ascii: "p") else {
          continue
        }
        isStartup = false
        let cut = isRequest ? noteRequest() : nil
        if cut == .before { return }
        if cut == .after { pair.isCut.withLock { $0 = true } }
        line.send(Array(held[..<begun]))
        held.removeFirst(begun)
        begun = 0
      }
    }
  }

  private func noteRequest() -> Cut? {
    state.withLock { state in
      if !state.isAsked { state.roundTrips += 1 }
      state.isAsked = true
      guard let left = state.left else { return nil }
      state.left = left.count > 1 ? (left.count - 1, left.cut) : nil
      if left.count > 1 { return nil }
      state.cuts += 1
      return left.cut
    }
  }

  private func forwardAnswers(_ pair: Pair, on line: Line) {
    var answers = Answers()
    while let bytes = Self.read(pair.server) {
      if pair.isCut.withLock({ $0 }) { return }
      state.withLock { $0.isAsked = false }
      line.send(dropsNotifications ? answers.withoutNotifications(bytes) : bytes)
    }
  }

  private static func read(_ socket: Int32) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = Glibc.read(socket, &bytes, bytes.count)
    return count > 0 ? Array(bytes[..<count]) : nil
  }

  fileprivate static func write(_ bytes: ArraySlice<UInt8>, to socket: Int32) -> Bool {
    var bytes = bytes
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      if count <= 0 { return false }
      bytes = bytes.dropFirst(count)
    }
    return true
  }

  private static func withAddress<Result>(
    _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }
}

/// One direction of a connection, whose bytes arrive some time after they were sent.
private final class Line: Sendable {
  private struct State: Sendable {
    var sent: [(due: ContinuousClock.Instant, bytes: [UInt8])] = []
    var isEnded = false
  }

  private let socket: Int32
  private let delay: Duration
  private let isSilent: Monitor<Bool>
  private let state = Monitor(State())

  init(to socket: Int32, _ delay: Duration, _ isSilent: Monitor<Bool>) {
    (self.socket, self.delay, self.isSilent) = (socket, delay, isSilent)
  }

  func send(_ bytes: [UInt8]) {
    state.update { $0.sent.append((.now + delay, bytes)) }
  }

  /// Ends the connection after what was sent.
  func end() { state.update { $0.isEnded = true } }

  /// Delivers what is sent, until the end.
  func deliver() {
    defer { shutdown(socket, Int32(SHUT_RDWR)) }
    while let sent = next() {
      for (due, bytes) in sent {
        let left = due - .now
        if left > .zero { usleep(useconds_t(left / .microseconds(1))) }
        isSilent.wait { $0 ? nil : () }
        guard Relay.write(bytes[...], to: socket) else { return }
      }
    }
  }

  /// Waits for the next bytes; nil at the end.
  private func next() -> [(due: ContinuousClock.Instant, bytes: [UInt8])]? {
    state.wait { state -> [(due: ContinuousClock.Instant, bytes: [UInt8])]?? in
      guard state.sent.isEmpty else {
        defer { state.sent = [] }
        return .some(state.sent)
      }
      return state.isEnded ? .some(nil) : nil
    }
  }
}

/// The messages of a server (postgresql.org/docs/15/protocol-message-formats.html), which arrive in pieces.
private struct Answers {
  private var held: [UInt8] = []

  /// Returns the whole messages that are not notifications.
  mutating func withoutNotifications(_ bytes: [UInt8]) -> [UInt8] {
    held += bytes
    var (kept, begun): ([UInt8], Int) = ([], 0)
    while held.count >= begun + 5 {
      let end = begun + 1 + held[(begun + 1)..<(begun + 5)].reduce(0) { $0 << 8 | Int($1) }
      guard held.count >= end else { break }
      if held[begun] != UInt8(ascii: "A") { kept += held[begun..<end] }
      begun = end
    }
    held.removeFirst(begun)
    return kept
  }
}
