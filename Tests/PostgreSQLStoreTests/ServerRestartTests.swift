import Foundation
import Glibc
import ManagedContext
import TestSupport
import Testing
import Threading

@testable import PostgreSQLStore

/// Saves while the server crashes and starts again, with a server of its own.
@Suite(
  .enabled(if: TestServer.address != nil, "there is no server; make test-postgresql starts one"),
  .timeLimit(.minutes(4)))
struct ServerRestartTests {
  /// A server that a test stops.
  private final class OwnServer: Sendable {
    private let folder: String
    let address: StoreAddress

    init() throws {
      // A short name: the path of a socket has at most 107 bytes.
      folder = "/tmp/nipg." + String(UInt64.random(in: 0 ... .max), radix: 36)
      address = try #require(StoreAddress("postgresql://tester@/postgres?host=\(folder)"))
      Self.shell(
        """
        mkdir -m 700 '\(folder)'; \(Self.asServer); [ -z "$as" ] || chown postgres '\(folder)'; \
        $as $bin/initdb -D '\(folder)/data' -U tester -A trust -E UTF8 --locale=C.UTF-8 --no-sync >/dev/null
        """)
      start()
    }

    deinit {
      Self.shell("\(control("stop -m immediate")); rm -rf '\(folder)'")
    }

    func start() {
      Self.shell(
        control("start -w -t 60 -l '\(folder)/log' -o \"-k '\(folder)' -c listen_addresses= -c fsync=off\""))
    }

    /// Ends the server as a crash does: it recovers at its next start.
    func crash() { Self.shell(control("stop -m immediate")) }

    private func control(_ command: String) -> String {
      "\(Self.asServer); $as $bin/pg_ctl -D '\(folder)/data' \(command) >/dev/null"
    }

    /// The server refuses to run as root.
    private static let asServer =
      "bin=/usr/lib/postgresql/15/bin; as=; [ $(id -u) -ne 0 ] || as='setpriv --reuid=postgres --regid=postgres --clear-groups'"

    private static func shell(_ script: String) {
      // Not as a `Process`, which waits for all that the server has inherited.
      #expect(system(script) == 0, "\(script)")
    }
  }

  private struct State {
    var acknowledged: [String] = []
    var errors: [StoreError] = []
    var isDone = false
  }

  @Test func `what was acknowledged is there once after crashes of the server`() throws {
    let server = try OwnServer()
    let state = Monitor(State())
    var options = PostgreSQLStoreOptions()
    options.patience = 60
    let stores = try (0..<2).map { _ in
      try PostgreSQLStore(server.address, model: Library.model, application: 7, options: options)
    }
    let writers = try stores.enumerated().map { place, store in
      try OwnThread(name: "writer") {
        var count = 0
        while !state.update({ $0.isDone }) {
          count += 1
          let names = (0..<5).map { "\(place)-\(count)-\($0)" }
          let results = store.write(names.map(Self.author))
          state.update { state in
            for (name, result) in zip(names, results) {
              switch result {
              case .success: state.acknowledged.append(name)
              case .failure(let error): state.errors.append(error)
              }
            }
          }
        }
      }
    }
    for round in 1...6 {
      state.wait { $0.acknowledged.count >= round * 150 || !$0.errors.isEmpty ? () : nil }
      server.crash()
      server.start()
    }
    state.update { $0.isDone = true }
    for writer in writers { writer.join() }
    let (acknowledged, errors) = state.update { ($0.acknowledged, $0.errors) }
    #expect(errors.isEmpty)
    let found = try PostgreSQLStore.execute("SELECT name FROM author", at: server.address)
    #expect(found.sorted() == acknowledged.sorted())
    // No save was repeated, and none has left a gap.
    let numbers = try PostgreSQLStore.execute(
      "SELECT token FROM persistent_history ORDER BY token", at: server.address)
    #expect(numbers == (1...(acknowledged.count / 5)).map(String.init))
    for store in stores { store.close() }
  }

  /// A save that inserts an author, and fails if the author is there.
  private static func author(_ name: String) -> ChangeSet {
    var changes = ChangeSet(mergePolicy: .error)
    changes.insertions = [
      .init(id: ManagedObjectID(entity: Library.author, store: .none, key: -1), values: [.text(name), .null])
    ]
    return changes
  }
}
