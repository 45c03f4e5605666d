import Foundation

/// The two outputs of the program: results on standard output, notes on standard error.
enum Console {
  /// Writes a line of the results to standard output.
  static func print(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }

  /// Writes a progress or error line to standard error.
  static func note(_ line: String) {
    FileHandle.standardError.write(Data((line + "\n").utf8))
  }

  /// Formats a number with `digits` digits after the decimal point.
  static func number(_ value: Double, _ digits: Int) -> String {
    let scale = pow(10, Double(digits))
    let rounded = Int64((abs(value) * scale).rounded())
    let text = String(rounded)
    let padded = String(repeating: "0", count: max(0, digits + 1 - text.count)) + text
    let sign = value < 0 && rounded > 0 ? "-" : ""
    return digits == 0 ? sign + padded : sign + padded.dropLast(digits) + "." + padded.suffix(digits)
  }
}
