import Testing
import TextOutput

@Suite struct JSONMembersTests {
  private func read(_ text: String) -> [String] {
    let bytes = Array(text.utf8)
    var found: [String] = []
    let mistake = JSONMembers.read(bytes.span) { key, value in
      let name = String(decoding: bytes[key], as: UTF8.self)
      switch value {
      case .null: found.append("\(name)=null")
      case .bool(let isTrue): found.append("\(name)=\(isTrue)")
      case .number(let range), .nested(let range):
        found.append("\(name)=\(String(decoding: bytes[range], as: UTF8.self))")
      case .string(let range, _):
        var text: [UInt8] = []
        JSONMembers.append(bytes.span, range, to: &text)
        found.append("\(name)='\(String(decoding: text, as: UTF8.self))'")
      }
    }
    if let mistake { found.append("mistake at \(mistake)") }
    return found
  }

  @Test func `the members of an object are visited in their order`() {
    #expect(
      read(#" {"a":null, "b" : [1,{"x":"]"}],"c":"\u00e9\ud83d\ude00\n\/\b","d":-1.5e+3,"e":true,"f":"é"} "#)
        == ["a=null", #"b=[1,{"x":"]"}]"#, "c='é😀\n/\u{8}'", "d=-1.5e+3", "e=true", "f='é'"])
    #expect(read("{}").isEmpty)
    #expect(read(#"{"a":"\ud83d"}"#) == ["a='\u{FFFD}'"])
  }

  @Test(arguments: [
    "", "[]", "{", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, #"{"a":01}"#, #"{"a":1.}"#, #"{"a":"x}"#,
    #"{"a":"\x"}"#,
    #"{"a":"\u12"}"#, "{\"a\":\"\u{1}\"}", #"{"a":nul}"#, #"{"a":1} 2"#, #"{"a":[1,]}"#, "{'a':1}",
  ])
  func `what is not JSON is a mistake`(text: String) {
    #expect(read(text).last?.hasPrefix("mistake at ") == true)
  }

  @Test func `values are nested up to a limit`() {
    let nested = { (count: Int) in
      #"{"a":"# + String(repeating: "[", count: count) + String(repeating: "]", count: count) + "}"
    }
    #expect(read(nested(60)).count == 1)
    #expect(read(nested(100)).last?.hasPrefix("mistake at ") == true)
  }

  @Test(
    arguments: [
      ("[]", true, false), ("{}", false, true), ("[1, {\"a\":[]}]", true, false),
      ("{\"a\":[1]}", false, true),
      ("", false, false), ("[", false, false), ("[]]", false, false), (" []", false, false),
      ("[\n]", false, false), ("{]", false, false), ("abc", false, false), ("\"[]\"", false, false),
    ])
  func `an array or an object is a whole text on one line`(text: String, isArray: Bool, isObject: Bool) {
    #expect(JSONShape.array.matches(text) == isArray && JSONShape.object.matches(text) == isObject)
  }
}
