import Foundation

/// The results, as a table and as JSON.
struct Report {
  var runs: [Reader: [Run]]
  var files: Int

  /// A table with a line for each reader.
  var table: String {
    let base = runs[.textC] == nil ? .nan : median(.textC)
    let lines = Reader.allCases.filter { runs[$0] != nil }.map { reader in
      let seconds = median(reader)
      let rate = Double(bytes) / seconds / 1e6
      return name(reader).padding(toLength: 46, withPad: " ", startingAt: 0)
        + String(format: "%7.2f s %7.0f MB/s  %5.2f times", seconds, rate, seconds / base)
    }
    let items = runs.values.first?.first?.items ?? 0
    let size = String(format: "%.0f MB", Double(bytes) / 1e6)
    return (["\(files) feeds, \(items) items, \(size); CPU, medians of \(rounds) interleaved runs"] + lines)
      .joined(separator: "\n")
  }

  /// The CPU seconds of each reader (medians and all runs), and the bytes that each has read.
  var json: Data {
    get throws {
      var object: [String: Any] = ["bytes": bytes, "files": files, "rounds": rounds]
      for reader in Reader.allCases {
        object[reader.rawValue] = median(reader)
        object[reader.rawValue + "_runs"] = runs[reader]?.map {
          ["user": $0.cpu.user, "system": $0.cpu.system]
        }
      }
      if runs[.textC] != nil { object["ratio"] = median(.ours) / median(.textC) }
      return try JSONSerialization.data(withJSONObject: object, options: [.prettyPrinted, .sortedKeys])
    }
  }

  private var bytes: Int { runs.values.first?.first?.bytes ?? 0 }
  private var rounds: Int { runs.values.first?.count ?? 0 }

  private func median(_ reader: Reader) -> Double {
    let sorted = (runs[reader] ?? []).map(\.cpu.total).sorted()
    return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
  }

  private func name(_ reader: Reader) -> String {
    switch reader {
    case .emptyC: "libxml2 in C, empty callbacks"
    case .textC: "libxml2 in C, collecting text"
    case .ours: "FeedParsing, complete items"
    case .ourStrings: "FeedParsing, items as Swift strings"
    }
  }
}
