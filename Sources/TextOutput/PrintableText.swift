/// Returns text from outside as a field in a line for people.
///
/// Control characters (C0, DEL, C1), line separators and writing direction overrides are written as escapes.
/// A title can therefore neither move the cursor nor imitate another line. Isolates are paired, so that they
/// end with the field.
public func printable(_ text: some StringProtocol) -> String {
  guard text.unicodeScalars.contains(where: { Unicode.Scalar.isUnsafe($0.value) || $0.isTag }) else {
    return String(text)
  }
  var result = ""
  for character in text {
    let isFlag = character.isFlagOfTags
    for scalar in character.unicodeScalars {
      if scalar.isTag ? isFlag : scalar.isShown {
        result.unicodeScalars.append(scalar)
      } else {
        result += escape(scalar)
      }
    }
  }
  return result.withPairedIsolates
}

/// Returns text with an escape for each unsafe character, such as `\u001b` or `\u{e0041}`.
public func withEscapes(_ text: some StringProtocol) -> String {
  guard text.unicodeScalars.contains(where: { Unicode.Scalar.isUnsafe($0.value) }) else {
    return String(text)
  }
  var result = ""
  for scalar in text.unicodeScalars {
    if Unicode.Scalar.isUnsafe(scalar.value) {
      result += escape(scalar)
    } else {
      result.unicodeScalars.append(scalar)
    }
  }
  return result
}

private func escape(_ scalar: Unicode.Scalar) -> String {
  let digits = String(scalar.value, radix: 16)
  if digits.count > 4 { return "\\u{\(digits)}" }
  return "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
}

/// Returns output for programs with escapes as in ``withEscapes(_:)``; line feeds and tabs stay.
public func printableLines(_ text: String) -> String {
  // Scalars are used because a carriage return and a line feed are one Character.
  text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map { line in
    line.split(separator: "\t", omittingEmptySubsequences: false).map { withEscapes(Substring($0)) }.joined(
      separator: "\t")
  }.joined(separator: "\n")
}

/// Returns a message's subject, with a visible text if it is empty.
public func named(_ text: String) -> String { text.isEmpty ? "''" : text }

/// Returns a command word for users to enter, quoted if a shell would change it.
public func shellWord(_ text: String) -> String {
  let isPlain = text.unicodeScalars.allSatisfy { scalar in
    scalar.properties.isAlphabetic || scalar.properties.numericType != nil
      || "-_.,:@%+/=".unicodeScalars.contains(scalar)
  }
  if isPlain && !text.isEmpty { return text }
  return "'" + printable(text).replacingASCII { $0 == UInt8(ascii: "'") ? "'\\''" : nil } + "'"
}

/// Returns a number with separators, such as 1,204.
public func grouped(_ number: Int) -> String {
  var digits = String(number.magnitude)
  var result = ""
  while digits.count > 3 {
    result = "," + digits.suffix(3) + result
    digits.removeLast(3)
  }
  return (number < 0 ? "-" : "") + digits + result
}

/// Returns a size, such as "812 bytes" or "1.4 MB".
public func byteText(_ bytes: Int) -> String {
  var value = Double(bytes)
  guard value >= 1000 else { return counted(bytes, "byte") }
  for unit in ["kB", "MB", "GB"] {
    value /= 1000
    if value < 999.95 { return "\((value * 10).rounded() / 10) \(unit)" }
  }
  return "\((value / 100).rounded() / 10) TB"
}

/// Returns a number with its noun, such as "1 feed" or "2 feeds".
public func counted(_ number: Int, _ singular: String, _ plural: String? = nil) -> String {
  "\(grouped(number)) \(number == 1 ? singular : plural ?? singular + "s")"
}
