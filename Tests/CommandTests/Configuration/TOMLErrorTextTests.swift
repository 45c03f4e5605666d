import Testing

@testable import NewsCommand

@Suite struct TOMLErrorTextTests {
  @Test(arguments: [
    ("[fetch\njobs = 3\n", "a ] is missing at the end of the table's name; write it like [fetch]"),
    ("a = \"b\nc = 3\n", "the text has no \" at its end; write one before the line ends"),
    ("a = \"\\q\"", "\\ begins an escape in a text; write \\\\, or put the text into '...'"),
    ("contact = a@b.c\n", "this is not a value; put a text, and a number with a unit, into quotation marks"),
    ("keep = 90d\n", "this is not a value; put a text, and a number with a unit, into quotation marks"),
    (
      "public_only = yes\n", "this is not a value; put a text, and a number with a unit, into quotation marks"
    ),
    (
      "public_only = tru\n", "this is not a value; put a text, and a number with a unit, into quotation marks"
    ),
    ("a = 2026-99-99\n", "this is not a value; put a text, and a number with a unit, into quotation marks"),
    ("a = 3 4\n", "something follows the value; put a text into quotation marks, and a key on a new line"),
    ("a 3\n", "the = after the key is missing; write it like key = value"),
    ("a = \n", "the value after the = is missing; write one, or remove the line"),
    (
      "a = { b = \"c\"\n",
      "a comma or the } is missing, or the table spans several lines; write it on one line"
    ),
    ("a = [\"b\"\nx = 1", "a comma or the ] of the list is missing; write it like [\"a\", \"b\"]"),
    ("[fetch]\n[fetch]\n", "the table [fetch] already exists; put both into one"),
    ("jobs = 1\njobs = 2\n", "jobs is set twice; keep one of the two"),
    ("a = [1", "the file ends in the middle of this; write its end, a bracket or a quotation mark"),
    ("= 3", "this is neither a key nor a table; write it like key = value or [table]"),
    ("[]\n", "this is not the name of a table; write it like [fetch] or [region.world]"),
  ]) func `what is no TOML is told in plain words, with its place`(toml: String, cause: String) {
    let error = #expect(throws: ConfigurationError.self) { try Configuration(toml: toml) }
    #expect(error?.cause == cause)
    #expect(error?.place?.wholeMatch(of: #/line \d+, column \d+/#) != nil)
  }

  @Test(arguments: ["{ a = ", "["]) func `brackets nested too deeply are refused`(bracket: String) {
    let text = "x = " + String(repeating: bracket, count: 10_000)
    #expect(throws: ConfigurationError.self) { try Configuration(toml: text) }
  }

  @Test(arguments: [
    ("[\u{18}", "U+0018"), ("a = 1\n[b]\n\u{7F} = 2", "U+007F"), ("# \u{1}", "U+0001"),
    ("a = \"\u{1B}\"", "U+001B"),
  ]) func `a control character is refused with its line`(toml: String, name: String) {
    let error = #expect(throws: ConfigurationError.self) { try Configuration(toml: toml) }
    #expect(error?.cause == "it contains the control character \(name); remove it")
    #expect(error?.place == "line \(toml.split(separator: "\n").count)")
  }

  @Test(arguments: [
    ("a = \"x\\u0000y\"", 1, "\\u0000"),
    ("# \\u0000 it's\n'\\u0000' = \"\\\\u0000\"\nb = [\"\\U00000000\"]", 3, "\\U00000000"),
    ("a = \"\"\"\n\"\"x\\u0000\"\"\"", 2, "\\u0000"),
    ("a = \"\"\"x\"\"\"\"\nb = \"\"\n\"\\u0000\" = 1", 3, "\\u0000"),
    ("a = '''\n\"''''\nb = \"\\u0000\"", 3, "\\u0000"),
  ]) func `an escape of NUL is refused with its line`(toml: String, line: Int, escape: String) {
    let error = #expect(throws: ConfigurationError.self) { try Configuration(toml: toml) }
    #expect(error?.cause == "\(escape) in a text is a NUL, which no value can have; remove it")
    #expect(error?.place == "line \(line)")
  }

  @Test(arguments: [
    "pager = 'a\\u0000b'", "pager = \"a\\\\u0000b\" # \"\\u0000", "pager = \"\"\"a\\\n  b'\"\"\" # \\u0000",
    "pager = \"\\u00e9\\U0001F600\"", "pager = '''a\"\\u0000'''",
  ]) func `what only looks like an escape of NUL is read`(toml: String) throws {
    #expect(try Configuration(toml: toml).pager?.isEmpty == false)
  }

  @Test(arguments: ["[", "a = 1\n[", "[\r\n", "[=", "[ ©]", "[[", "[[=", "\u{A0}[\u{2003}#", "\u{FEFF}[ {"])
  func `a table without a name is refused with its line`(toml: String) {
    let error = #expect(throws: ConfigurationError.self) { try Configuration(toml: toml) }
    #expect(error?.cause == "the name of a table is missing; write it like [fetch] or [region.world]")
    #expect(error?.place == (toml.hasPrefix("a") ? "line 2" : "line 1"))
  }
}
