import Foundation

/// Compares five ways to arrange contexts around an import, by how long each delays the main queue.
@main
@MainActor
enum Main {
  static func main() async {
    let options: Options
    do {
      options = try Options(Array(CommandLine.arguments.dropFirst()))
    } catch {
      Console.note("stalls: \(error)\n\(Options.usage)")
      exit(64)
    }
    do {
      if let plan = options.plan {
        let result = try await plan.run()
        Console.print(String(decoding: try JSONEncoder().encode(result), as: UTF8.self))
      } else {
        try compare(options)
      }
      exit(0)
    } catch {
      Console.note("stalls: \(error)")
      exit(1)
    }
  }

  private static func compare(_ options: Options) throws {
    var comparison = Comparison(options)
    try comparison.run()
    let report = Report(comparison: comparison)
    report.print()
    try report.write(to: options.results)
    if let picture = options.picture { try report.draw(to: picture) }
  }
}
