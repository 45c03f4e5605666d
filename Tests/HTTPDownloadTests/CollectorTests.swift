import Testing

@testable import HTTPDownload

struct CollectorTests {
  private func collector() -> ResponseCollector {
    let collector = ResponseCollector(
      id: TransferID(1), limits: DownloadLimits(), arrivals: ArrivalList())
    for line in ["HTTP/1.1 200 OK\r\n", "\r\n"] {
      let isTaken = collector.receive(headerLine: Array(line.utf8).span)
      #expect(isTaken)
    }
    return collector
  }

  @Test func `a server faster than the sink is paused and loses nothing`() {
    let collector = collector()
    let piece = [UInt8](repeating: 7, count: 16 << 10)
    var taken = 0
    while collector.receive(body: piece.span) == .taken { taken += piece.count }
    #expect(collector.isFull)
    #expect(taken <= ResponseCollector.maxWaitingBytes + piece.count)
    var delivered = 0
    while let chunk = collector.nextChunk() { delivered += chunk.count }
    #expect(delivered == taken)
    let next = collector.receive(body: piece.span)
    #expect(next == .taken)
  }
}
