import Foundation

/// Returns a quarter of a random test's seeds: `NEWSIMPORT_QUARTER` selects it, 0 to 3, or `all` of them.
///
/// Together these tests take a sixth of the suite's time. CI takes the quarters in turn.
public func seeds<Number: FixedWidthInteger>(_ count: Number) -> [Number] {
  let all = Array(0..<count)
  let quarter = ProcessInfo.processInfo.environment["NEWSIMPORT_QUARTER"] ?? "0"
  guard let number = Number(quarter) else { return all }
  return all.filter { $0 % 4 == number }
}
