import Testing

@testable import HTTPDownload

struct CollectorTests {
  private func collector() -> ResponseCollector {
    let collector = ResponseCollector(
      id: TransferID(1), limits: DownloadLimits(), arrivals: ArrivalList(now: .now))
    for line in ["HTTP/1.1 200 OK\r\n", "\r\n"] {
      let isTaken = collector.receive(headerLine: Array(line.utf8).span)
      #expect(isTaken == .taken)
    }
    return collector
  }

  @Test func `a server faster than the sink is paused and loses nothing`() throws {
    let collector = collector()
    let piece = [UInt8](repeating: 7, count: 16 << 10)
    var taken = 0
    while collector.receive(body: piece.span) == .taken { taken += piece.count }
    #expect(collector.isFull)
    #expect(taken <= ResponseCollector.maxWaitingBytes + piece.count)
    var delivered = 0
    while let chunk = try collector.nextChunk() { delivered += chunk.count }
    #expect(delivered == taken)
    let next = collector.receive(body: piece.span)
    #expect(next == .taken)
  }

  @Test func `a silent transfer is active again with its first byte`() {
    let arrivals = ArrivalList(now: .now)
    let collector = ResponseCollector(id: TransferID(7), limits: DownloadLimits(), arrivals: arrivals)
    let start = collector.lastSign
    collector.fallSilent()
    arrivals.now += .seconds(5)
    #expect(arrivals.awoken.isEmpty)
    for line in ["HTTP/1.1 200 OK\r\n", "\r\n"] { _ = collector.receive(headerLine: Array(line.utf8).span) }
    #expect(arrivals.awoken == [TransferID(7)])
    #expect(collector.lastSign == start + .seconds(5))
  }
}
