import HTTPDownload
import LoopbackServer
import Testing
import Threading
import WebAddress

/// Servers that close an HTTP/2 connection without an answer to its last request.
@Suite struct HTTP2Tests {
  /// What a server does with a request, by its number in its connection from 1 and the number of the connection from 1.
  private static func program(_ reaction: String) -> String {
    """
    import socket, ssl, struct, sys, threading, urllib.request
    identity, report, away = sys.argv[1:]
    def frame(kind, flags, stream, payload):
        return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(identity)
    context.set_alpn_protocols(["h2"])
    def serve(client, connection):
        request = 0
        with context.wrap_socket(client, server_side=True) as client:
            stream_in = client.makefile("rb")
            stream_in.read(24)
            client.sendall(frame(4, 0, 0, b""))
            while len(head := stream_in.read(9)) == 9:
                stream = int.from_bytes(head[5:9], "big") & 0x7fffffff
                stream_in.read(int.from_bytes(head[:3], "big"))
                if head[3] == 4 and not head[4] & 1: client.sendall(frame(4, 1, 0, b""))
                if head[3] != 1: continue
                request += 1
                outcome = \(reaction)
                if outcome == "skip": continue
                if outcome: return
                client.sendall(frame(1, 4, stream, b"\\x88") + frame(0, 1, stream, b"end"))
    server = socket.create_server(("127.0.0.1", 0))
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    direct.open(f"{report}/port/{server.getsockname()[1]}").read()
    connection = 0
    while True:
        client = server.accept()[0]
        connection += 1
        threading.Thread(target=serve, args=(client, connection), daemon=True).start()
    """
  }

  /// Returns the results of four requests, one after another, to a server with a reaction.
  private func fetch(_ reaction: String) async throws -> [RecordingSink.Record] {
    let records = Locked<[RecordingSink.Record]>([])
    try await withServer { _ in
      .ok("")
    } _: { report in
      _ = try await TLSServer.run(reportingTo: report.url(""), program: Self.program(reaction)) {
        certificate in
        await report.waitForRequests(1)
        let port = report.requests[0].path.dropFirst("/port/".count)
        let downloader = try Downloader.make { $0.certificateFile = certificate }
        defer { downloader.shutdown() }
        for number in 1...4 {
          let record = await downloader.fetch(.patient("https://127.0.0.1:\(port)/\(number)"))
          records.withLock { $0.append(record) }
        }
      }
    }
    return records.withLock { $0 }
  }

  @Test(arguments: [
    // It closes the connection at the second request, without a word or with GOAWAY.
    "request == 2", "request == 2 and client.sendall(frame(7, 0, 0, struct.pack('>II', 1, 0))) is None",
    // It takes no request on its first connection, as during a restart.
    "connection == 1", "connection == 1 and client.sendall(frame(7, 0, 0, bytes(8))) is None",
    // It refuses a stream: the request was not processed (RFC 9113, section 8.7).
    "connection == 1 and request == 1 and (client.sendall(frame(3, 0, stream, struct.pack('>I', 7))) or 'skip')",
  ])
  func `a request that was not answered is sent again on another connection`(reaction: String) async throws {
    let records = try await fetch(reaction)
    #expect(records.allSatisfy { $0.text == "end" }, "\(records.map(\.words))")
  }

  @Test(arguments: ["True", "client.sendall(frame(7, 0, 0, bytes(8))) is None"])
  func `a server that never answers has failed after the second attempt`(reaction: String) async throws {
    for record in try await fetch(reaction) {
      guard case .connectionLost(let cause) = record.error else {
        Issue.record("\(record.words)")
        return
      }
      #expect(cause.hasPrefix("the server "))
    }
  }
}
