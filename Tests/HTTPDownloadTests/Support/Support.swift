import HTTPDownload
import LoopbackServer
import WebAddress

extension Downloader {
  /// Creates a downloader for one test.
  static func make(
    jobs: Int = 16, perHost: Int = 4, _ change: (inout DownloaderConfiguration) -> Void = { _ in }
  ) throws -> Downloader {
    var configuration = DownloaderConfiguration(userAgent: "newsimport-tests/1 (+https://example.org)")
    configuration.jobs = jobs
    configuration.perHost = perHost
    // On a machine that is busy with other tests every transfer would seem silent.
    configuration.silence = .seconds(3600)
    // There, minutes can pass between two requests of a test.
    configuration.idleConnectionAge = .seconds(3600)
    change(&configuration)
    return try Downloader(configuration: configuration)
  }

  func fetch(_ request: DownloadRequest) async -> RecordingSink.Record {
    let sink = RecordingSink()
    start(request, sink: sink)
    return await sink.finished()
  }
}

extension DownloadRequest {
  init(
    url: String, etag: [UInt8]? = nil, lastModified: [UInt8]? = nil, headers: [HeaderField] = [],
    limits: DownloadLimits = DownloadLimits()
  ) {
    self.init(
      WebAddress(url), etag: etag, lastModified: lastModified, headers: headers, limits: limits)
  }

  /// A request with long timeouts, because other tests may slow down the machine.
  static func patient(_ url: String) -> DownloadRequest {
    var request = DownloadRequest(url: url)
    request.limits.connectTimeout = .seconds(300)
    request.limits.totalTimeout = .seconds(600)
    request.limits.lowSpeedTime = .zero
    return request
  }
}

/// Runs a test with a server, which is stopped however the test ends.
func withServer(
  _ handler: @escaping LoopbackHTTPServer.Handler,
  _ body: (LoopbackHTTPServer) async throws -> Void
) async throws {
  let server = try LoopbackHTTPServer(handler: handler)
  defer { server.stop() }
  try await body(server)
}

/// Fetches `/` from a server that answers everything with `response`.
func fetch(
  _ response: ScriptedResponse,
  change: (inout DownloadRequest) -> Void = { _ in }
) async throws -> RecordingSink.Record {
  let server = try LoopbackHTTPServer { _ in response }
  defer { server.stop() }
  var request = DownloadRequest.patient(server.url("/"))
  change(&request)
  let downloader = try Downloader.make()
  defer { downloader.shutdown() }
  return await downloader.fetch(request)
}

extension RecordingSink.Record {
  /// The error as text; empty after a success.
  var words: String { error.map { "\($0)" } ?? "" }
}
