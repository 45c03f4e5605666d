import Testing

@testable import NewsCommand
@testable import NewsConfiguration

@Suite struct InvalidTOMLTests {
  @Test(arguments: [
    ("[fetch\njobs = 3\n", "line 1, column 7"), ("a = \"b\nc = 3\n", "line 1, column 7"),
    ("a = \"\\q\"", "line 1, column 7"), ("a = 1\nkeep = 90d\n", "line 2, column 10"),
    ("a = \n", "line 1, column 5"),
    ("jobs = 1\njobs = 2\n", "line 2, column 8"), ("= 3", "line 1, column 1"),
    ("password = hunter2", "line 1, column 12"),
  ]) func `what is no TOML is told with its place, and without its text`(toml: String, place: String) {
    let error = #expect(throws: ConfigurationError.self) { try Configuration(toml: toml) }
    #expect(error?.cause == "this is not valid TOML; correct it, as in the examples of newsimport.toml(5)")
    #expect(error?.place == place)
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
    ("a = \"x\\u0000y\"", 1, "\\u0000"), ("a = 1\nb = [\"\\U00000000\"]", 2, "\\U00000000"),
    ("a = \"\"\"\n\"\"x\\u0000\"\"\"", 2, "\\u0000"),
  ]) func `an escape of NUL is refused with its line`(toml: String, line: Int, escape: String) {
    let error = #expect(throws: ConfigurationError.self) { try Configuration(toml: toml) }
    #expect(error?.cause == "\(escape) is a NUL, which no value can have; remove it")
    #expect(error?.place == "line \(line)")
  }

  @Test(arguments: ["[", "a = 1\n[", "[\r\n", "[=", "[ ©]", "[[", "[[=", "\u{A0}[\u{2003}#", "\u{FEFF}[ {"])
  func `a table without a name is refused with its line`(toml: String) {
    let error = #expect(throws: ConfigurationError.self) { try Configuration(toml: toml) }
    #expect(error?.cause == "the name of a table is missing; write it like [fetch] or [region.world]")
    #expect(error?.place == (toml.hasPrefix("a") ? "line 2" : "line 1"))
  }
}
