import FuzzDriver
import ParserLaws

/// Searches for documents that violate a law of the parsers.
@main
enum FeedFuzz {
  static func main() { FuzzDriver.main(Law.self) }
}
