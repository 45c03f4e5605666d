import FeedParsing
import Testing

@Suite struct DocumentStartTests {
  private static let feed =
    "<rss version='2.0'><channel><title>T</title><item><title>a</title></item></channel></rss>"

  @Test(arguments: [
    "", "\u{FEFF}\n", "<?xml version='1.0'?>", "<!-- <rss> = \" -->\n", "<?xml-stylesheet href='a'?>",
    "<!DOCTYPE rss [<!ENTITY a \"b\">]>",
    "<br />\n<b>Warning</b>:  x in <b>/f.php</b> on line <b>3</b><br />\n",
    "Warning: 1 > 0 <?xml version='1.0'?>",
    "\nNotice: Undefined variable $x in /a.php on line 3\n\nWarning: a() expects \"b\" in /a.php on line 4\n",
    "HTTP/1.1 200 OK\nContent-Type: text/xml\nSet-Cookie: a=b;\n\n", "1f40\r\n", "ok\n",
    "<script>a = '<b>'</script>", "ï»¿", "Warning: 1 > 0\n",
    "Warning: x\n<rss>Warning: y ", "now comes <?xml version='1.0'?>",
  ])
  func `a feed begins after markup and a server's messages`(start: String) {
    #expect(DocumentStart.verdict(on: Array((start + Self.feed).utf8)) == .feed)
  }

  @Test(arguments: [
    "import sys\nTEMPLATE = \"\"\"", "import sys\nTEMPLATE = \"\"\"\n", "x = '", "const feed = `",
    "cat <<EOF\n",
    "#!/bin/sh\necho a\n", "# A manual\n\nThe feed is\n\n```xml\n",
    "package main\n\nfunc main() {\n  print(\n",
    "Some notes\nabout this feed:\n\n", "<?php header('x'); ?>", "#include <stdio.h>\nchar *s = \"",
    "<%@ page contentType=\"text/xml\" %>", "title: a\ntemplate: |\n  ", "for (i=0;i<n;i++) {\n",
    "<?xml version='1.0'?><xsl:stylesheet xmlns:xsl='x'><xsl:template match='/'>",
    "const a = () => ", "  return ", "This is a feed: ",
  ])
  func `a program and a text that contain a feed are none`(start: String) {
    guard case .other = DocumentStart.verdict(on: Array((start + Self.feed).utf8)) else {
      Issue.record("a feed after \(start)")
      return
    }
  }

  @Test(arguments: [
    "void f() { g<rss>(x); }\n// <item><title>a</title></item>", "g<rss>(x); // <item>", "A<feed> { }",
    "the <rss version=\"2.0\"> element", "fn f<rss>(x: V<item>) { let t = \"<title>boo</title>\"; }",
    "class A<rss> { Item<item> x; /* <title>t</title> */ }", "x<rss>\n<!-- a -->\n b;",
  ])
  func `a name of a root in a sentence or a program is none`(text: String) {
    guard case .other = DocumentStart.verdict(on: Array(text.utf8)) else {
      Issue.record("a feed in \(text)")
      return
    }
  }

  @Test(arguments: [
    "", "plain text", "<html><body>", "<!-- no end", "{\"version\":1}",
    "{ \"a\": \"<?php x\"}", "\u{FEFF}{\n\"a\": \"<% <rss version='2.0'><channel><item>\"}",
  ])
  func `a beginning without a root decides nothing`(start: String) {
    #expect(DocumentStart.verdict(on: Array(start.utf8)) == .unknown)
  }
}
