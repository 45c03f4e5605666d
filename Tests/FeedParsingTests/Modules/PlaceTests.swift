import FeedParsing
import Testing

/// Places that are more than a point: GeoRSS Simple and GML.
struct PlaceTests {
  @Test(
    arguments: [
      (
        "<georss:line>45.256 -110.45 46.46 -109.48 43.84 -109.86</georss:line>",
        #""shapes":[{"type":"line","points":[[45.256,-110.45],[46.46,-109.48],[43.84,-109.86]]}]"#
      ),
      (
        "<georss:polygon>45 -110,46 -109, 43 -109 45 -110</georss:polygon>",
        #""shapes":[{"type":"polygon","points":[[45,-110],[46,-109],[43,-109],[45,-110]]}]"#
      ),
      (
        "<georss:box>42.9 -71.0 43.0 -69.8</georss:box>",
        #""shapes":[{"type":"box","points":[[42.9,-71],[43,-69.8]]}]"#
      ),
      (
        "<georss:circle>42.9 -71.0 500</georss:circle>",
        #""shapes":[{"type":"circle","points":[[42.9,-71]],"radius_in_meters":500}]"#
      ),
      (
        """
        <georss:where><gml:Polygon><gml:exterior><gml:LinearRing><gml:posList>1 2 3 4 5 6 1 2</gml:posList></gml:LinearRing>\
        </gml:exterior></gml:Polygon></georss:where>
        """,
        #""shapes":[{"type":"polygon","points":[[1,2],[3,4],[5,6],[1,2]]}]"#
      ),
      (
        "<georss:where><gml:LineString><gml:posList>1 2 3 4</gml:posList></gml:LineString></georss:where>",
        #""shapes":[{"type":"line","points":[[1,2],[3,4]]}]"#
      ),
      (
        """
        <georss:where><gml:Envelope><gml:lowerCorner>42 -71</gml:lowerCorner><gml:upperCorner>43 -69</gml:upperCorner>\
        </gml:Envelope></georss:where>
        """,
        #""shapes":[{"type":"box","points":[[42,-71],[43,-69]]}]"#
      ),
      ("<georss:line>1 2</georss:line>", ""), ("<georss:line>1 2 3</georss:line>", ""),
      ("<georss:polygon>1 2 3 x</georss:polygon>", ""), ("<georss:box>1 2 3 4 5 6</georss:box>", ""),
      ("<georss:line>1 2 91 4</georss:line>", ""), ("<georss:circle>1 2</georss:circle>", ""),
      ("<georss:where><gml:upperCorner>43 -69</gml:upperCorner></georss:where>", ""),
    ])
  func `a shape`(source: String, expected: String) throws {
    #expect(try ModuleDocument.members(ofItem: source) == expected)
  }
}
