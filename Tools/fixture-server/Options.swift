/// The options of the command line.
struct Options {
  static let usage = "usage: fixture-server FOLDER [--port N] [--port-file FILE] [--for SECONDS]"

  var folder = ""
  /// The port; 0 lets the system choose.
  var port: UInt16 = 0
  var portFile: String?
  /// The time to serve, in seconds; nil serves until a signal.
  var seconds: Int?

  init(_ arguments: [String]) throws(StartError) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--port": port = try Self.number(rest.popFirst(), after: argument)
      case "--port-file": portFile = try Self.text(rest.popFirst(), after: argument)
      case "--for": seconds = try Int(Self.number(rest.popFirst(), after: argument) as UInt32)
      default:
        guard folder.isEmpty, !argument.hasPrefix("-") else {
          throw Self.usageError("unexpected \(argument)")
        }
        folder = argument
      }
    }
    guard !folder.isEmpty else { throw Self.usageError("no folder") }
  }

  private static func text(_ value: String?, after option: String) throws(StartError) -> String {
    guard let value else { throw usageError("\(option) needs a value") }
    return value
  }

  private static func number<Number: FixedWidthInteger>(
    _ value: String?, after option: String
  ) throws(StartError) -> Number {
    guard let number = Number(try text(value, after: option)) else {
      throw usageError("\(option) needs a number up to \(Number.max)")
    }
    return number
  }

  private static func usageError(_ cause: String) -> StartError {
    StartError(message: "\(cause)\n\(usage)", status: 64)
  }
}
