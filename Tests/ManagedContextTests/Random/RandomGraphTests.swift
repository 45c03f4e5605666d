import TestSupport
import Testing

@Suite struct RandomGraphTests {
  @Test(arguments: 0..<50)
  func `five contexts show and save what a plain model says, whatever is done`(part: Int) throws {
    for kind in StoreKind.allCases {
      for seed in part * 10..<(part + 1) * 10 {
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
