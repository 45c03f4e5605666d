import HTMLText
import TextOutput

/// Small charts in SVG 2, without text, so that they may have any width. A description and a title for each value say
/// what they show.
enum Chart {
  /// Returns bars from the left to the right, the highest as high as the chart.
  ///
  /// - Parameters:
  ///   - description: What is shown, for readers who do not see it.
  ///   - style: The class that gives the chart its height.
  ///   - title: A bar's title: its place and value.
  static func bars(
    _ values: [Int], _ description: String, style: String, title: (Int, Int) -> String
  ) -> String {
    let most = max(1, values.max() ?? 1)
    let bars = values.enumerated().map { place, value in
      // A value above zero is seen.
      let height = value == 0 ? 0 : max(2, value * 100 / most)
      return rectangle("bar", x: place * 10, y: 100 - height, width: 8, height: height, title(place, value))
    }
    let rule = "<rect class=\"rule\" x=\"0\" y=\"100\" width=\"\(values.count * 10)\" height=\"1\"/>"
    return svg(style, width: values.count * 10, height: 101, description, bars + [rule])
  }

  /// Returns cells from the left to the right, and line by line.
  ///
  /// - Parameters:
  ///   - classes: The cells' classes.
  ///   - columns: The number of cells in a line.
  static func cells(
    _ classes: [String], columns: Int, _ description: String, style: String = "", title: (Int) -> String
  ) -> String {
    let cells = classes.enumerated().map { place, name in
      let (row, column) = place.quotientAndRemainder(dividingBy: columns)
      return rectangle(name, x: column * 10, y: row * 10, width: 9, height: 9, title(place))
    }
    let rows = (classes.count + columns - 1) / columns
    return svg(style, width: columns * 10 - 1, height: rows * 10 - 1, description, cells)
  }

  private static func svg(
    _ style: String, width: Int, height: Int, _ description: String, _ parts: [String]
  ) -> String {
    """
    <svg\(style.isEmpty ? "" : " class=\"\(style)\"") viewBox="0 0 \(max(1, width)) \(max(1, height))" \
    preserveAspectRatio="none" role="img" aria-label="\(SafeHTML.escaped(description))">\(parts.joined())</svg>
    """
  }

  private static func rectangle(
    _ style: String, x: Int, y: Int, width: Int, height: Int, _ title: String
  ) -> String {
    """
    <rect class="\(style)" x="\(x)" y="\(y)" width="\(width)" height="\(height)"><title>\(SafeHTML.escaped(title))</title></rect>
    """
  }
}
