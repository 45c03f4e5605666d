internal import Glibc

/// A conversion to UTF-8 by the C library's iconv.
@safe
final class IconvConverter {
  private let descriptor: iconv_t
  /// How many bytes the units of the encoding have: as many are passed over where there is no text.
  private let unitBytes: Int
  private let pairs: PairRule?
  /// Whether a letter is kept back because a mark may follow it.
  private let composes: Bool

  /// Nil when the C library does not know the encoding.
  init?(from name: String) {
    let isName = name.utf8.allSatisfy { $0.isASCIIAlphanumeric || "-_.:+()".utf8.contains($0) }
    guard isName, !name.isEmpty, name.utf8.count <= 40 else { return nil }
    // With the signs of NEC and IBM, which every browser reads.
    let opened = unsafe iconv_open("UTF-8", name == "euc-jp" ? "EUC-JP-MS" : name)
    // iconv_open answers (iconv_t)-1 when it fails.
    guard let opened = unsafe opened, Int(bitPattern: opened) != -1 else { return nil }
    unsafe descriptor = unsafe opened
    let lowercased = name.lowercased()
    pairs = PairRule(of: lowercased)
    composes = ["1258", "tcvn"].contains { lowercased.contains($0) }
    unitBytes =
      lowercased.hasPrefix("utf-32") || lowercased.hasPrefix("ucs-4")
      ? 4 : lowercased.hasPrefix("utf-16") || lowercased.hasPrefix("ucs-2") ? 2 : 1
  }

  deinit { _ = unsafe iconv_close(descriptor) }

  /// Converts `bytes` and appends the result; what is no text becomes U+FFFD. At the end ``flush(into:)`` gives what is
  /// kept back until it is known whether it is the first part of a character.
  ///
  /// - Returns: How many bytes were used (a cut sequence at the end stays), and whether some were no text.
  func convert(_ bytes: UnsafeBufferPointer<UInt8>, into result: inout [UInt8]) -> (
    used: Int, hadErrors: Bool
  ) {
    guard let base = bytes.baseAddress else { return (0, false) }
    var source =
      unsafe UnsafeMutableRawPointer(mutating: base).assumingMemoryBound(to: CChar.self)
      as UnsafeMutablePointer<CChar>?
    var left = bytes.count
    var hadErrors = false
    while left > 0 {
      let reason = unsafe step(&source, &left, into: &result)
      if reason == EINVAL { break }
      guard reason == EILSEQ, left > 0, let place = unsafe source else { continue }
      let rest = unsafe UnsafeRawBufferPointer(start: place, count: left)
      guard let passed = pairs.map({ unsafe $0.length(of: rest) }) ?? min(unitBytes, left) else {
        break
      }
      if composes { flush(into: &result) }
      result.append(contentsOf: [0xEF, 0xBF, 0xBD])
      unsafe source = source.map { unsafe $0 + passed }
      left -= passed
      hadErrors = true
    }
    return (bytes.count - left, hadErrors)
  }

  /// Appends what was kept back.
  func flush(into result: inout [UInt8]) {
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { output in
      var target = output.baseAddress
      var room = output.count
      _ = unsafe iconv(descriptor, nil, nil, &target, &room)
      unsafe output.withMemoryRebound(to: UInt8.self) { filled in
        unsafe result.append(contentsOf: filled[..<(filled.count - room)])
      }
    }
  }

  /// What `bytes` are in the encoding `name`; nil when the C library does not know it, or they are no text in it.
  static func text(of bytes: [UInt8], in name: String) -> [UInt8]? {
    guard let converter = IconvConverter(from: name) else { return nil }
    var text: [UInt8] = []
    let outcome = unsafe bytes.withUnsafeBufferPointer { unsafe converter.convert($0, into: &text) }
    converter.flush(into: &text)
    return outcome.hadErrors || outcome.used < bytes.count ? nil : text
  }

  /// One call of iconv over a piece of output; the reason why it stopped, 0 when all was read.
  private func step(
    _ source: inout UnsafeMutablePointer<CChar>?, _ left: inout Int, into result: inout [UInt8]
  ) -> Int32 {
    var reason: Int32 = 0
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 8192) { output in
      var target = output.baseAddress
      var room = output.count
      let outcome = unsafe iconv(descriptor, &source, &left, &target, &room)
      if outcome == -1 { reason = errno }
      unsafe output.withMemoryRebound(to: UInt8.self) { filled in
        unsafe result.append(contentsOf: filled[..<(filled.count - room)])
      }
    }
    return reason
  }
}
