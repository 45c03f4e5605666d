public import Foundation

/// Durations as text.
public enum DurationText {
  /// The units and their lengths in seconds, the longest first.
  private static let units = [(86400, "d"), (3600, "h"), (60, "min"), (1, "s")]

  /// Returns a duration rounded to one unit: "40 s", "3 h".
  public static func rough(_ seconds: TimeInterval) -> String {
    let unit =
      units.first { (seconds / Double($0.0)).rounded() >= 1 && seconds > 0.99 * Double($0.0) } ?? (1, "s")
    return "\(Int((max(0, min(seconds, 1e9)) / Double(unit.0)).rounded())) \(unit.1)"
  }

  /// Returns a duration in its largest unit and the next one: "40 s", "2 h 30 min", "3 d".
  public static func precise(_ seconds: TimeInterval) -> String {
    let total = Int(max(0, min(seconds, 1e9)).rounded())
    guard let largest = units.firstIndex(where: { total >= $0.0 }) else { return "0 s" }
    let (size, name) = units[largest]
    let rest = total % size
    guard largest + 1 < units.count, rest >= units[largest + 1].0 else { return "\(total / size) \(name)" }
    let (nextSize, nextName) = units[largest + 1]
    return "\(total / size) \(name) \(rest / nextSize) \(nextName)"
  }

  /// Returns SQL that formats a column of whole seconds like ``precise(_:)``.
  public static func sql(_ column: String) -> String {
    let cases = units.indices.dropLast().map { index in
      let ((size, name), (nextSize, nextName)) = (units[index], units[index + 1])
      return """
        WHEN \(column) >= \(size) THEN (\(column) / \(size)) || ' \(name)' || CASE WHEN \(column) % \(size) >= \(nextSize) \
        THEN ' ' || (\(column) % \(size) / \(nextSize)) || ' \(nextName)' ELSE '' END
        """
    }
    return "CASE \(cases.joined(separator: " ")) ELSE \(column) || ' s' END"
  }
}
