import Foundation

/// A size as people write it: 32MiB, 10MB, 4096.
package struct ByteCount: Equatable {
  package let bytes: Int

  /// The reason why a text is not a size.
  package enum Mistake: Error {
    case notSize
    /// Less than 1 byte, or more than 1 TiB.
    case outOfRange
  }

  package init(_ text: String) throws(Mistake) {
    let digits = text.prefix(while: \.isNumber)
    let unit = text.dropFirst(digits.count).trimmingCharacters(in: .whitespaces).lowercased()
    let factors = [
      "": 1, "b": 1, "k": 1 << 10, "kb": 1000, "kib": 1 << 10, "m": 1 << 20, "mb": 1_000_000, "mib": 1 << 20,
      "g": 1 << 30, "gb": 1_000_000_000, "gib": 1 << 30,
      "t": 1 << 40, "tb": 1_000_000_000_000, "tib": 1 << 40,
    ]
    guard let number = Int(digits), let factor = factors[unit] else { throw .notSize }
    let (bytes, overflows) = number.multipliedReportingOverflow(by: factor)
    guard !overflows, bytes > 0, bytes <= 1 << 40 else { throw .outOfRange }
    self.bytes = bytes
  }
}
