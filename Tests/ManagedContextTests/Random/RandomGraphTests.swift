import TestSupport
import Testing

/// Two seeds run at a time, with a pause after each seed, because other tests share the few threads and some have
/// deadlines.
@Suite struct RandomGraphTests {
  @Test(arguments: 0..<2)
  func `five contexts match a plain model after random operations`(part: Int) async throws {
    for kind in StoreKind.allCases {
      for seed in kind.seeds(part * 100..<(part + 1) * 100) {
        await Task.yield()
        let graph = try RandomGraph(seed: UInt64(seed), kind)
        do {
          try graph.run(steps: 60)
        } catch {
          Issue.record("seed \(seed), \(kind): \(error)\n\(graph.log.suffix(80).joined(separator: "\n"))")
        }
      }
    }
  }
}
