import Testing
import Markup

/// Records events.
private final class Recorder: XMLEventHandler {
  var log = ""
  private var settled: [String] = []

  override func startElement(_ name: XMLName, _ attributes: XMLAttributes) {
    log += "<" + name.withLocalBytes { String(decoding: Array($0), as: UTF8.self) }
    for index in 0..<attributes.count {
      var value: [UInt8] = []
      attributes.appendValue(at: index, to: &value)
      log += " " + String(decoding: value, as: UTF8.self)
    }
    log += ">"
  }

  override func endElement() -> Bool {
    log += "/"
    settled.append(log)
    return true
  }

  override func text(_ bytes: Span<UInt8>) { log += String(decoding: Array(bytes), as: UTF8.self) }

  override func recover(_ step: XMLRecovery) {
    if case .rollBack = step { log = (settled.last ?? "") + "|" }
  }
}

extension Array<UInt8> {
  fileprivate init(_ span: Span<UInt8>) {
    self = (0..<span.count).map { span[$0] }
  }
}

struct XMLDocumentReaderTests {
  @Test(arguments: [
    ("<a>x</a>", "<a>x/"), ("<a b='1' c='&lt;&amp;&eacute;'/>", "<a 1 <&é>/"),
    ("<a>&eacute;&amp;</a>", "<a>é&/"),
    ("<a><![CDATA[<b>&]]></a>", "<a><b>&/"), ("\u{FEFF}  <a/>", "<a>/"), ("<a>1\r\n2</a>", "<a>1\n2/"),
    ("<!DOCTYPE a [<!ENTITY e 'v&#38;w'>]><a b='&e;'>&e;</a>", "<a v&w>v&w/"),
  ])
  func `a well-formed document is read once`(document: String, expected: String) throws {
    #expect(try read(document) == expected)
  }

  @Test(arguments: [
    ("<a><b/>x & y</a>", "<a><b>/|x & y/"), ("<a><b></a>", "|<a><b>//"), ("<a>1 < 2</a>", "|<a>1 < 2/"),
    ("<a><b/></c></a>", "<a><b>/|/"), ("<a b=1 c/>", "|<a 1 >/"), ("x<a/>", "|x<a>/"), ("<a/>x", "<a>/|x"),
    ("<a><B>x</b></a>", "|<a><B>x//"), ("<a>]]></a>", "|<a>]]>/"), ("<a><br>x</a>", "|<a><br>/x/"),
    ("<a>caf&eacute &copy\n1 &amp b</a>", "|<a>café ©\n1 & b/"),
    ("<a>x?a&copy=1&reg&lt</a>", "|<a>x?a&copy=1&reg&lt/"),
    ("<a>this &or that &foo &eacutex</a>", "|<a>this &or that &foo &eacutex/"),
    (#"<a><b c="1>x</b><d c="2"/>y</a>"#, #"|<a><b 1>x/<d 2>/y/"#),
    (#"<a><b c="1>2" d='3'/>& </a>"#, #"<a><b 1>2 3>/|& /"#), (#"<a>&<b c="1>2"/></a>"#, #"|<a>&<b 1>2>//"#),
    (#"x<!DOCTYPE a [<!ENTITY e 'v&#38;w'><!-- > --><!ENTITY f "]>">]><a b='&e;'>&f;</a>"#, "|x<a v&w>]>/"),
  ])
  func `a damaged document is read again from the last settled point`(document: String, expected: String)
    throws
  {
    #expect(try read(document) == expected)
    #expect(try read(document, chunkSize: 1) == expected)
  }

  @Test(
    arguments: [
      ("1\r\n2\r3\n", "1\n2\n3\n"), ("\(long)\r\n\r\n\(long)\r", "\(long)\n\n\(long)\n"),
      ("\r\r\r\n\n", "\n\n\n\n"),
      ("1\r]]><![CDATA[\n2", "1\n\n2"), ("\(long)\r]]><![CDATA[\n\(long)", "\(long)\n\n\(long)"),
    ], [1, 2, 7, 100, 16 << 10])
  func `lines of CDATA end as all lines do`(of text: (written: String, read: String), chunkSize: Int) throws {
    #expect(try read("<a><![CDATA[\(text.written)]]></a>", chunkSize: chunkSize) == "<a>\(text.read)/")
    #expect(
      try read("<a><![CDATA[\(text.written)]]>1 & 2</a>", chunkSize: chunkSize) == "|<a>\(text.read)1 & 2/")
  }

  private static let long = String(repeating: "<p>a ]] > &amp;\n]></p>", count: 6)

  @Test(
    arguments: [
      ("<a><![CDATA[\(long)]]></a>", "<a>\(long)/"), ("<a>x<![CDATA[]\(long)]]]>y</a>", "<a>x]\(long)]y/"),
      ("<a>\n<![CDATA[\(long)]]>\n</a>", "<a>\n\(long)\n/"),
      ("<a><![CDATA[\(long)<![CDATA[]]></a>", "<a>\(long)<![CDATA[/"),
      ("<a><!-- <![CDATA[\(long) --><b/></a>", "<a><b>//"), ("<a><?b <![CDATA[\(long)?><b/></a>", "<a><b>//"),
      ("<a><!-- <![CDATA[ --><![CDATA[\(long)]]></a>", "<a>\(long)/"),
      ("<a b='&lt;'><b c='![CDATA[x]]'/><![CDATA[\(long)]]></a>", "<a <><b ![CDATA[x]]>/\(long)/"),
      // After damage reading begins again at the settled point, whatever libxml2 has read.
      ("<a><b><![CDATA[\(long)]]></b>x & y</a>", "<a><b>\(long)/|x & y/"),
      ("<a><b/><![CDATA[\(long)]]><c>1 < 2</c></a>", "<a><b>/|\(long)<c>1 < 2//"),
      ("<a><b/><c><![CDATA[\(long)", "<a><b>/|<c>\(long)"),
      ("<a><b/><c><![CDATA[\(long)]]", "<a><b>/|<c>\(long)]]"),
    ], [1, 7, 100, 16 << 10])
  func `a long section of CDATA is text wherever it is cut`(
    of document: (text: String, expected: String), chunkSize: Int
  ) throws {
    #expect(try read(document.text, chunkSize: chunkSize) == document.expected)
  }

  private static let escaped = String(
    repeating: "&lt;p&gt;a > b &amp;amp; &#8220;c&#x201D;\r\n&lt;/p&gt; d", count: 6)
  private static let decoded = String(repeating: "<p>a > b &amp; “c”\n</p> d", count: 6)

  @Test(
    arguments: [
      ("<a>\(escaped)</a>", "<a>\(decoded)/"),
      ("<a>\(escaped)<b/>\(escaped)</a>", "<a>\(decoded)<b>/\(decoded)/"),
      ("<a>\(escaped)&nbsp;\(escaped)</a>", "<a>\(decoded)\u{A0}\(decoded)/"),
      ("<a>\(escaped)&#146;&#x92;\(escaped)</a>", "<a>\(decoded)’’\(decoded)/"),
      ("<!DOCTYPE a [<!ENTITY e 'v&#38;w'>]><a>\(escaped)&e;\(escaped)</a>", "<a>\(decoded)v&w\(decoded)/"),
      ("<a>\(escaped)\r</a>", "<a>\(decoded)\n/"), ("<a>\(escaped)]>]\r\n</a>", "<a>\(decoded)]>]\n/"),
      ("<a>\(escaped)\r&#10;</a>", "<a>\(decoded)\n\n/"),
      ("<a><!-- > \(escaped) <b>\(escaped)</b> --></a>", "<a>/"), ("<a><?b > \(escaped)?></a>", "<a>/"),
      ("<a b='>\(escaped)'/>", "<a >\(decoded.replacing("\n", with: " "))>/"),
      // Damage is noticed, and the text is read again from the settled point.
      ("<a><b/>\(escaped)]]>x</a>", "<a><b>/|\(decoded)]]>x/"),
      ("<a><b/>\(escaped)&x</a>", "<a><b>/|\(decoded)&x/"),
      ("<a><b>\(escaped)</b>1 & 2</a>", "<a><b>\(decoded)/|1 & 2/"),
      ("<a>1</a>\(escaped)", "<a>1/|\(decoded)"), ("<a><b/><c>\(escaped)", "<a><b>/|<c>\(decoded)"),
    ], [1, 7, 100, 16 << 10])
  func `a long text is the same wherever it is cut`(
    of document: (text: String, expected: String), chunkSize: Int
  ) throws {
    #expect(try read(document.text, chunkSize: chunkSize) == document.expected)
  }

  @Test func `a document that is cut leaves its elements open`() throws {
    let reader = try XMLDocumentReader(handler: XMLEventHandler())
    try unsafe "<a><b>x".withContiguousBytes { try unsafe reader.read($0) }
    try reader.finish()
    #expect(reader.depth == 2)
    #expect(reader.hasRepaired)
  }

  private func read(_ document: String, chunkSize: Int = .max) throws -> String {
    let recorder = Recorder()
    let reader = try XMLDocumentReader(handler: recorder)
    let bytes = Array(document.utf8)
    var start = 0
    while start < bytes.count {
      let end = start + min(chunkSize, bytes.count - start)
      try unsafe bytes[start..<end].withUnsafeBytes { try unsafe reader.read($0) }
      start = end
    }
    try reader.finish()
    return recorder.log
  }
}

extension String {
  fileprivate func withContiguousBytes(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    try unsafe Array(utf8).withUnsafeBytes { try unsafe body($0) }
  }
}
