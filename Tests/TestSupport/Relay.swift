public import PostgreSQLStore

internal import Foundation
internal import Glibc
internal import Threading

/// A relay in front of the server for tests: it counts round trips, delays bytes, and cuts connections.
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
    /// True from a request to its answer.
    var isAsked = false
    /// The number of requests until the cut, with that one.
    var left: (count: Int, cut: Cut)?
    var cuts = 0
    var sockets: Set<Int32> = []
    var listener: Int32 = -1
  }

  private let folder: TemporaryFolder
  private let server: String
  private let delay: Duration
  private let state = Locked(State())

  /// - Parameter delay: The time of each direction.
  public init(delay: Duration = .zero) throws {
    folder = try TemporaryFolder()
    self.delay = delay
    let address = TestServer.address ?? ""
    server = String(address.split(separator: "host=").last ?? "")
    try listen()
  }

  deinit { stop() }

  /// Returns the address of a schema through the relay.
  public func address(of schema: TestSchema) throws -> StoreAddress {
    let text = schema.address.text.replacingOccurrences(of: "host=\(server)", with: "host=\(folder.path)")
    guard let address = StoreAddress(text) else { throw POSIXError(.EINVAL) }
    return address
  }

  /// The number of requests that were answered before the next one.
  public var roundTrips: Int { state.withLock { $0.roundTrips } }
  public var cuts: Int { state.withLock { $0.cuts } }

  /// Cuts the connection at a coming request; 1 is the next one.
  public func cut(atRequest count: Int, _ cut: Cut) { state.withLock { $0.left = (count, cut) } }

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
      defer { (state.sockets, state.listener) = ([], -1) }
      return (state.sockets, state.listener)
    }
    try? FileManager.default.removeItem(atPath: folder.file(".s.PGSQL.5432"))
    if listener >= 0 { shutdown(listener, Int32(SHUT_RDWR)) }
    for socket in sockets { shutdown(socket, Int32(SHUT_RDWR)) }
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
    state.withLock { $0.sockets.formUnion([client, server]) }
    let pair = Pair(client: client, server: server)
    for body in [{ [self] in forwardRequests(pair) }, { [self] in forwardAnswers(pair) }]
      as [@Sendable () -> Void]
    {
      try? OwnThread(name: "relay") { [self] in
        body()
        for socket in [client, server] { shutdown(socket, Int32(SHUT_RDWR)) }
        if pair.users.withLock({ count in
          count -= 1
          return count == 0
        }) {
          state.withLock { $0.sockets.subtract([client, server]) }
          for socket in [client, server] { close(socket) }
        }
      }.detach()
    }
  }

  private struct Pair: Sendable {
    let client: Int32
    let server: Int32
    let isCut = Locked(false)
    let users = Locked(2)
  }

  // MARK: Forwarding

  /// Forwards whole requests, each of which ends with Sync or is a simple query.
  private func forwardRequests(_ pair: Pair) {
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
        let isRequest = type == UInt8(ascii: "S") || type == UInt8(ascii: "Q")
        // A password or the end of a session is no request.
        guard isStartup || isRequest || type == UInt8(ascii: "X") || type == UInt8(ascii: "p") else {
          continue
        }
        isStartup = false
        let cut = isRequest ? noteRequest() : nil
        if cut == .before { return }
        if cut == .after { pair.isCut.withLock { $0 = true } }
        pause()
        guard Self.write(held[..<begun], to: pair.server) else { return }
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

  private func forwardAnswers(_ pair: Pair) {
    while let bytes = Self.read(pair.server) {
      if pair.isCut.withLock({ $0 }) { return }
      state.withLock { $0.isAsked = false }
      pause()
      guard Self.write(bytes[...], to: pair.client) else { return }
    }
  }

  private func pause() {
    if delay > .zero { usleep(useconds_t(delay / .microseconds(1))) }
  }

  private static func read(_ socket: Int32) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = Glibc.read(socket, &bytes, bytes.count)
    return count > 0 ? Array(bytes[..<count]) : nil
  }

  private static func write(_ bytes: ArraySlice<UInt8>, to socket: Int32) -> Bool {
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
