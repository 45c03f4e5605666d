import Foundation
import ManagedContext

/// The options of the command.
struct Options {
  var records = [5_000, 100_000]
  var repetitions = 5
  var designs = DesignName.usual
  var niceness = ThreadExecutor.idle
  var results = ".build/results/stalls.json"
  var picture: String?
  var folder = ".build/stalls"
  /// The run that this process measures; nil in the process that the user started.
  var plan: RunPlan?

  static let usage = """
    usage: stalls [--records 5000,100000] [--repeat 5] [--designs \(DesignName.usual.map(\.rawValue).joined(separator: ","))]
                  [--niceness 0-19|idle] [--results .build/results/stalls.json] [--svg PATH] [--folder .build/stalls]
    """

  /// Parses the arguments of the command.
  ///
  /// - Throws: ``MeasuringError`` for an unknown option or an invalid value; a decoding error for a malformed `--run`.
  init(_ arguments: [String]) throws {
    var rest = arguments[...]
    while let name = rest.popFirst() {
      guard let value = rest.popFirst() else { throw MeasuringError("\(name) wants a value") }
      guard try take(name, value) else { throw MeasuringError("\(name) \(value)") }
    }
  }

  private mutating func take(_ name: String, _ value: String) throws -> Bool {
    let parts = value.split(separator: ",").map(String.init)
    switch name {
    case "--records":
      records = parts.compactMap { Int($0) }
      return records.count == parts.count && records.allSatisfy { $0 > 0 }
    case "--repeat":
      repetitions = Int(value) ?? 0
      return repetitions > 0
    case "--designs":
      designs = parts.compactMap { DesignName(rawValue: $0) }
      return designs.count == parts.count
    case "--niceness":
      niceness = value == "idle" ? ThreadExecutor.idle : Int32(value) ?? -1
      return (0...ThreadExecutor.idle).contains(niceness)
    case "--results": results = value
    case "--svg": picture = value
    case "--folder": folder = value
    case "--run": plan = try JSONDecoder().decode(RunPlan.self, from: Data(value.utf8))
    default: return false
    }
    return true
  }
}
