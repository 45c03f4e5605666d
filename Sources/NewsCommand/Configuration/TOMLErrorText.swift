/// Translates the TOML parser's errors into plain English.
///
/// toml++ reports a place and a description, but no code for the kind of error.
enum TOMLErrorText {
  /// Returns the cause, and how to fix it.
  ///
  /// Values are omitted: a text that is not TOML may contain a secret.
  ///
  /// - Parameter description: The parser's description, such as "Error while parsing table header: expected
  ///   ']', saw '\n'".
  static func text(_ description: String) -> String {
    if let match = description.firstMatch(of: #/cannot redefine existing table '(.+)'/#) {
      return "the table [\(match.output.1)] already exists; put both into one"
    }
    if let match = description.firstMatch(of: #/cannot redefine existing .* '(.+)'/#) {
      return "\(match.output.1) is set twice; keep one of the two"
    }
    for (signs, text) in known where signs.allSatisfy(description.contains) { return text }
    return "this is not valid TOML; correct it, as in the examples of newsimport.toml(5)"
  }

  /// Parts of the parser's descriptions, with their translations; the first match is used.
  private static let known = [
    (["end-of-file"], "the file ends in the middle of this; write its end, a bracket or a quotation mark"),
    (["maximum nested"], "too many nested brackets; no value is so deep"),
    (
      ["table header", "expected ']'"], "a ] is missing at the end of the table's name; write it like [fetch]"
    ),
    (["table header"], "this is not the name of a table; write it like [fetch] or [region.world]"),
    (["string", "escape sequence"], "\\ begins an escape in a text; write \\\\, or put the text into '...'"),
    (["string", "control characters"], "the text has no \" at its end; write one before the line ends"),
    (
      ["inline table"],
      "a comma or the } is missing, or the table spans several lines; write it on one line"
    ),
    (["array"], "a comma or the ] of the list is missing; write it like [\"a\", \"b\"]"),
    (["expected '='"], "the = after the key is missing; write it like key = value"),
    (["expected value, saw"], "the value after the = is missing; write one, or remove the line"),
    (["could not determine value type"], noValue),
    (
      ["comment or whitespace"],
      "something follows the value; put a text into quotation marks, and a key on a new line"
    ),
    (["key-value pair", "expected"], "this is not a key; write it like key = value"),
    (["expected keys, tables"], "this is neither a key nor a table; write it like key = value or [table]"),
    (["bare key"], "this is not a key; put one with other letters into quotation marks"),
    (["integer"], noValue), (["float"], noValue), (["digit"], noValue), (["boolean"], noValue),
    (["date"], noValue),
    (["time"], noValue), (["expected value"], noValue),
  ]

  private static let noValue =
    "this is not a value; put a text, and a number with a unit, into quotation marks"
}
