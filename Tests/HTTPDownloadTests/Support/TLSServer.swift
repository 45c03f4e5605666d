import TestSupport

/// A TLS server on the loopback address, in Python, because Swift's standard library has none.
///
/// It redirects `/away` to another address, and answers all other requests.
enum TLSServer {
  /// Runs a test with the server.
  ///
  /// - Parameters:
  ///   - report: The server that receives a request for `/port/N`, where N is the TLS server's port.
  ///   - away: The target of `/away`.
  ///   - program: The server in Python.
  ///   - body: Receives the path of a file with the certificate to trust.
  /// - Returns: The heads of the requests received.
  static func run(
    reportingTo report: String, away: String = "", program: String = program,
    _ body: @Sendable (_ certificate: String) async throws -> Void
  ) async throws -> String {
    let folder = try TemporaryFolder()
    let identity = try folder.write("identity.pem", identity.utf8)
    let result = try await Command.run("python3", ["-c", program, identity, report, away]) { signal in
      defer { signal(15) }
      try await body(identity)
    }
    return result.out
  }

  static let program = """
    import http.server, socketserver, ssl, sys, urllib.request
    identity, report, away = sys.argv[1:]
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            print(self.requestline, str(self.headers).strip(), "", sep="\\n", flush=True)
            self.send_response(302 if self.path == "/away" else 200)
            if self.path == "/away": self.send_header("Location", away)
            self.send_header("Content-Length", "3")
            self.end_headers()
            self.wfile.write(b"end")
        def log_message(self, *_): pass
    server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(identity)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    direct.open(f"{report}/port/{server.server_address[1]}").read()
    server.serve_forever()
    """

  /// A key and its self-signed certificate for 127.0.0.1, created for these tests and not used elsewhere.
  private static let identity = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgOWfZ7qY6kzC4VipH
    LuUzNMicwYofEiFrHaSgOxGGg3WhRANCAARy0Gd78/5WQiph5GscrvXqAZYC/GNt
    lUAO6OOlyEYXAOvnLte6fy/wRu4+NfXgi6OhzJ4n5IO8+bIXoHD4/bLH
    -----END PRIVATE KEY-----
    -----BEGIN CERTIFICATE-----
    MIIBOjCB4aADAgECAgEBMAoGCCqGSM49BAMCMBMxETAPBgNVBAMMCGxvb3BiYWNr
    MCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAxMDAwMDAwWjATMREwDwYDVQQDDAhs
    b29wYmFjazBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABHLQZ3vz/lZCKmHkaxyu
    9eoBlgL8Y22VQA7o46XIRhcA6+cu17p/L/BG7j419eCLo6HMnifkg7z5shegcPj9
    ssejJDAiMA8GA1UdEQQIMAaHBH8AAAEwDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjO
    PQQDAgNIADBFAiAqtNDHIVFL/WAI0/rXPkCbOaupHe0z4q+g2EcXX7CEjwIhALK5
    /oKvYrKYWkFoXPa7iFMZpSvRq5K+VK5u/q9KKdDv
    -----END CERTIFICATE-----
    """
}
