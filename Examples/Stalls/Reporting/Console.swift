import Foundation

/// The two outputs of the program: results, and notes on the way to them.
enum Console {
  /// Writes a line of results.
  static func print(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }

  /// Writes a line that is no result.
  static func note(_ line: String) {
    FileHandle.standardError.write(Data((line + "\n").utf8))
  }

  /// A number with so many digits after the point.
  static func number(_ value: Double, _ digits: Int) -> String {
    let scale = pow(10, Double(digits))
    let rounded = Int64((abs(value) * scale).rounded())
    let text = String(rounded)
    let padded = String(repeating: "0", count: max(0, digits + 1 - text.count)) + text
    let sign = value < 0 && rounded > 0 ? "-" : ""
    return digits == 0 ? sign + padded : sign + padded.dropLast(digits) + "." + padded.suffix(digits)
  }
}
