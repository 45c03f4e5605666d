import FeedParsing
import Testing
import TextOutput

struct DateParserTests {
  @Test(arguments: [
    ("Wed, 03 Feb 2010 17:23:16 +0000", "2010-02-03T17:23:16Z"),
    ("Thu, 01 Jan 2004 19:48:21 GMT", "2004-01-01T19:48:21Z"),
    ("Thu,  5 Apr 2012 10:00:00 GMT", "2012-04-05T10:00:00Z"),
    ("01 Jan 04 19:48 EST", "2004-01-02T00:48:00Z"),
    ("Thu, 01 Jan 2004", "2004-01-01T00:00:00Z"),
    ("Thursday, January 1st, 2004 7:48:21 PM", "2004-01-01T19:48:21Z"),
    ("Mon, 13 Feb, 2012 06:28:00 UTC", "2012-02-13T06:28:00Z"),
    ("16-Dec-2012 11:47:32 -0230", "2012-12-16T14:17:32Z"),
    ("Sun Jan  4 16:29:06 2004", "2004-01-04T16:29:06Z"),
    ("Sun Jan  4 16:29:06 PST 2004", "2004-01-05T00:29:06Z"),
    ("Fri, 31 Mar 2023 20:19:00 America/Los_Angeles", "2023-04-01T03:19:00Z"),
    ("Sat, 02 Dec 2023 20:19:00 Europe/Paris", "2023-12-02T19:19:00Z"),
    ("mer., 12 août 2026 08:00:00 +0200", "2026-08-12T06:00:00Z"),
    ("Tue, 15 Nov 2022 20:15:04 GMT+2", "2022-11-15T18:15:04Z"),
  ])
  func `a date of RFC 822 and similar forms is read`(text: String, expected: String) {
    #expect(read(text) == expected)
  }

  @Test(arguments: [
    ("2003-12-31T10:14:55Z", "2003-12-31T10:14:55Z"), ("2003-12-31T10:14:55.1234Z", "2003-12-31T10:14:55Z"),
    ("2003-12-31T10:14:55-08:00", "2003-12-31T18:14:55Z"), ("2003-12-31T10:14+0800", "2003-12-31T02:14:00Z"),
    ("2003-12-31 10:14:55", "2003-12-31T10:14:55Z"), ("20031231T101455Z", "2003-12-31T10:14:55Z"),
    ("2003-12-31", "2003-12-31T00:00:00Z"), ("2003-12", "2003-12-01T00:00:00Z"),
    ("2003", "2003-01-01T00:00:00Z"),
    ("2003-335", "2003-12-01T00:00:00Z"), ("03335", "2003-12-01T00:00:00Z"),
    ("-0312", "2003-12-01T00:00:00Z"),
    ("031231", "2003-12-31T00:00:00Z"), ("03-12-31", "2003-12-31T00:00:00Z"),
    ("2004-07-08 23:56:58 -00:20", "2004-07-09T00:16:58Z"),
    ("2017-06-13T03:18:00+00:0", "2017-06-13T03:18:00Z"),
    ("12/31/2003 10:14:55 PM", "2003-12-31T22:14:55Z"), ("31.12.2003 10:14", "2003-12-31T10:14:00Z"),
    ("2004년 05월 28일  01:31:15", "2004-05-27T16:31:15Z"), ("2004-05-28 오후 11:31:58", "2004-05-28T14:31:58Z"),
    ("2004-július-13T9:15-05:00", "2004-07-13T14:15:00Z"), ("2024-02-29T24:00:00Z", "2024-03-01T00:00:00Z"),
    ("1969-12-31T23:59:59Z", "1969-12-31T23:59:59Z"), ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"),
  ])
  func `a date of ISO 8601 and similar forms is read`(text: String, expected: String) {
    #expect(read(text) == expected)
  }

  @Test(arguments: [
    ("Wed, 2026/11/18 08:19:53 EST", "2026-11-18T13:19:53Z"),
    ("Wed, 2026-11-18 08:19", "2026-11-18T08:19:00Z"),
    ("Wed, 11/18/2026 - 19:19", "2026-11-18T19:19:00Z"), ("Wed, 18/11/2026", "2026-11-18T00:00:00Z"),
    ("Wed, 18 11 2026 08:51:49 +0100", "2026-11-18T07:51:49Z"), ("18.11.26", "2026-11-18T00:00:00Z"),
    ("2026. 11. 8. 15:04", "2026-11-08T15:04:00Z"), ("18.11.2026, 15:04 Uhr", "2026-11-18T15:04:00Z"),
    ("08:19:53 2026-11-18", "2026-11-18T08:19:53Z"),
    ("Wed, 18 Nov 2026 15.04.05 +0100", "2026-11-18T14:04:05Z"),
    ("Wed Nov 18 15:04:05 -0700 2026", "2026-11-18T22:04:05Z"), ("Nov. 2026", "2026-11-01T00:00:00Z"),
    ("18/Nov/2026:10:00:05 +0100", "2026-11-18T09:00:05Z"), ("18 nov. 2026 10h05", "2026-11-18T10:05:00Z"),
    ("2026年11月18日(水) 10:00", "2026-11-18T10:00:00Z"), ("2026-11-18 (Wed) 10:00", "2026-11-18T10:00:00Z"),
  ])
  func `numbers of a date may be in any of the usual orders`(text: String, expected: String) {
    #expect(read(text) == expected)
  }

  @Test(arguments: [
    ("Nov. 16, 2026, 10:57 a.m.", "2026-11-16T10:57:00Z"),
    ("Nov. 16, 2026, 12:37 p.m.", "2026-11-16T12:37:00Z"),
    ("Mon, 16 Nov 2026 3:04 p.m. EST", "2026-11-16T20:04:00Z"),
    ("2026-11-16 3:04 p.m.", "2026-11-16T15:04:00Z"),
    ("2026-11-16 下午3:04", "2026-11-16T15:04:00Z"), ("16 Nov 2026 13:04 PM", "2026-11-16T13:04:00Z"),
  ])
  func `the half of the day may be written with points`(text: String, expected: String) {
    #expect(read(text) == expected)
  }

  @Test(arguments: [
    ("2026-W01-1", "2025-12-29T00:00:00Z"), ("2026W537", "2027-01-03T00:00:00Z"),
    ("2026-W47", "2026-11-16T00:00:00Z"), ("2026-W47-6T15:04:05Z", "2026-11-21T15:04:05Z"),
    ("20261121150405", "2026-11-21T15:04:05Z"), ("202611211504", "2026-11-21T15:04:00Z"),
    ("1795273445", "2026-11-21T15:04:05Z"), ("1795273445000", "2026-11-21T15:04:05Z"),
    ("1795273445.25", "2026-11-21T15:04:05Z"),
  ])
  func `weeks, seconds since 1970 and dates without separators are read`(text: String, expected: String) {
    #expect(read(text) == expected)
  }

  @Test(arguments: [
    ("mar., 01 déc. 2026 16:11:02 +0000", "2026-12-01T16:11:02Z"), ("mar 4 abr 2026", "2026-04-04T00:00:00Z"),
    ("mar. 3 mars 2026 15:04", "2026-03-03T15:04:00Z"), ("sub, 04 mar 2026", "2026-03-04T00:00:00Z"),
    ("pon, 02 lut 2026 15:04:05 +0100", "2026-02-02T14:04:05Z"), ("po, 02 říj 2026", "2026-10-02T00:00:00Z"),
    ("Pzt, 02 Ağu 2026 15:04", "2026-08-02T15:04:00Z"), ("18 листопада 2026", "2026-11-18T00:00:00Z"),
    ("2026年11月8日 15时04分05秒", "2026-11-08T15:04:05Z"), ("8 de novembro de 2026", "2026-11-08T00:00:00Z"),
    ("domingo, 8 de noviembre de 2026 10:00", "2026-11-08T10:00:00Z"),
    ("5 de mayo de 2026", "2026-05-05T00:00:00Z"),
    ("8 septembre 2026", "2026-09-08T00:00:00Z"), ("8 de septiembre de 2026", "2026-09-08T00:00:00Z"),
    ("So, 08 Mrz 2026", "2026-03-08T00:00:00Z"), ("8. marts 2026", "2026-03-08T00:00:00Z"),
  ])
  func `months of other languages are known, and similar days of the week are not months`(
    text: String, expected: String
  ) {
    #expect(read(text) == expected)
  }

  @Test(arguments: [
    ("Mon, 16 Nov 2026 15:04:05 +0100 foo", "2026-11-16T14:04:05Z"),
    ("2026-11-16 15:04:05 +0100 CET", "2026-11-16T14:04:05Z"),
    ("2026-11-16 - 15:04", "2026-11-16T15:04:00Z"),
    ("Mon, 16 Nov 2026 15:04 Australia/Sydney", "2026-11-16T04:04:00Z"),
  ])
  func `other text around the time does not change it`(text: String, expected: String) {
    #expect(read(text) == expected)
  }

  @Test(arguments: [
    "Mon, 31 Feb 2006 10:00:00 GMT", "2025-02-29", "2025-366", "Sun, 31 Dec 9999 23:59:59 -9999",
    "2026-W54-1",
    "", "   ", "x", "tomorrow", "Sun, 16 Dec 2012 1:2:3:4 GMT", "Sun, 16 zzz 2012 11:47:32 GMT",
    "Sun, Dec x 2012 11:47:32 GMT", "Sun, 16 Dec 2012 11:47:32 +zz:00", "2003-13-01", "2003-12-32",
    "2003-12-31T25:00:00Z", "2003-12-31T10:61:00Z", "99999999999999999999", "-",
    "Wed, 99 Feb 2010 17:23:16 +0000", "\u{0}\u{1}\u{2}\u{3}", "日本語",
  ])
  func `a text that is not a date is nil`(text: String) {
    #expect(read(text) == nil)
  }

  private func read(_ text: String) -> String? {
    DateParser.seconds(text).map { seconds in
      var bytes: [UInt8] = []
      ISODate.append(seconds, to: &bytes)
      return String(decoding: bytes, as: UTF8.self)
    }
  }

  @Test(arguments: [
    "Mon, 30 Nov -0001 00:00:00 +0000", "-0001-11-30T00:00:00+00:00", "-0001-11-30 00:00:00",
    "0000-00-00 00:00:00",
  ])
  func `the zero dates of databases are nil`(text: String) {
    #expect(DateParser.seconds(text) == nil)
  }

  @Test(arguments: [
    ("Wed, 03 Feb 2010 17:23:16 Pacific Standard Time", "2010-02-04T01:23:16Z"),
    ("Wed, 03 Feb 2010 17:23:16 Eastern", "2010-02-03T22:23:16Z"),
    ("Wed, 03 Jun 2010 17:23:16 Eastern", "2010-06-03T21:23:16Z"),
    ("03 Jun 2010 17:23:16 Eastern Daylight Time", "2010-06-03T21:23:16Z"),
    ("2010-02-03 17:23:16 Central Standard Time", "2010-02-03T23:23:16Z"),
    ("2010-02-03 17:23:16 Mountain", "2010-02-04T00:23:16Z"),
    ("03 Feb 2010 17:23:16 Greenwich Mean Time", "2010-02-03T17:23:16Z"),
    ("03 Feb 2010 17:23:16 Coordinated Universal Time", "2010-02-03T17:23:16Z"),
    ("03 Feb 2010 17:23:16 Central European Time", "2010-02-03T16:23:16Z"),
    ("03 Jul 2010 17:23:16 Central European Summer Time", "2010-07-03T15:23:16Z"),
    ("03 Feb 2010 17:23:16 India Standard Time", "2010-02-03T11:53:16Z"),
    ("03 Feb 2010 17:23:16 Atlantis Standard Time", nil), ("-2002-09-07", nil),
    ("-2002-09-07T10:00:00Z", nil),
  ])
  func `a zone in words is known, or the date is nil`(text: String, expected: String?) {
    let seconds = DateParser.seconds(text)
    var bytes: [UInt8] = []
    if let seconds { ISODate.append(seconds, to: &bytes) }
    #expect(String(decoding: bytes, as: UTF8.self) == expected ?? "")
  }

  @Test(arguments: [
    ("Mon, 02 Nov 126 10:00:00 GMT", "2026-11-02T10:00:00Z"),
    ("02 Nov 099 10:00:00 GMT", "1999-11-02T10:00:00Z"),
    ("Mon, 02 Nov 26 10:00:00 GMT", "2026-11-02T10:00:00Z"),
  ]) func `a year of three digits counts from 1900`(text: String, date: String) throws {
    #expect(try written(text) == date)
  }

  @Test(arguments: [
    ("9999-12-31T23:59:59-05:00", "9999-12-31T23:59:59Z"),
    ("0001-01-01T00:00:00+14:00", "0001-01-01T00:00:00Z"),
    ("9999-12-31T23:59:58Z", "9999-12-31T23:59:58Z"),
  ]) func `a date that its zone moves out of four digits becomes the nearest one`(
    text: String, date: String
  ) throws {
    #expect(try written(text) == date)
    #expect((-62_135_596_800...253_402_300_799).contains(try #require(DateParser.seconds(text))))
  }

  private func written(_ text: String) throws -> String {
    var bytes: [UInt8] = []
    ISODate.append(try #require(DateParser.seconds(text)), to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}
