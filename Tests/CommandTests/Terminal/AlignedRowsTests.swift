import HTMLText
import Testing

@testable import NewsCommand

@Suite struct AlignedRowsTests {
  private let rows = [
    ["a region with a very long name", "1,204 feeds", "", "2 failed"], ["tech", "    7 feeds", "", ""],
  ]

  @Test func `columns without text are omitted, and the others aligned`() {
    #expect(
      aligned(rows) == """
        a region with a very long name   1,204 feeds   2 failed
        tech                                 7 feeds

        """)
  }

  @Test func `a row that is too wide for the terminal does not widen the others`() {
    #expect(
      aligned([["a", "one", "x"], ["b", "/a/long/path/to/a/file", "y"]], to: 20) == """
        a   one   x
        b   /a/long/path/to/a/file   y

        """)
  }

  @Test(arguments: [37, 40, 50, 55, 80]) func `only the first column is cut on a narrow terminal`(
    columns: Int
  ) {
    let lines = aligned(fitted(rows, to: columns)).split(separator: "\n")
    #expect(lines[0].hasSuffix("   1,204 feeds   2 failed") && lines[0].hasPrefix("a region "))
    #expect((min(columns, 55) - 1...min(columns, 55)).contains(DisplayWidth.columns(of: lines[0])))
  }

  @Test func `the first column keeps some columns, and a pipe has all of it`() {
    #expect(fitted(rows, to: 10)[0][0] == "a region wi…")
    #expect(fitted(rows, to: nil) == rows && fitted([], to: 80).isEmpty && fitted([["a"]], to: 80) == [["a"]])
  }
}
