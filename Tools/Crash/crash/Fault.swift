import CFaultVFS

/// A kind of fault, and whether it lasts.
struct Fault: Sendable, CustomStringConvertible {
  let kind: fault_kind
  let lasts: Bool

  static let all = [
    Fault(kind: FAULT_IO, lasts: false), Fault(kind: FAULT_IO, lasts: true),
    Fault(kind: FAULT_FULL, lasts: false), Fault(kind: FAULT_FULL, lasts: true),
    Fault(kind: FAULT_SHORT, lasts: false), kill,
    Fault(kind: FAULT_TORN, lasts: false),
  ]

  static let kill = Fault(kind: FAULT_KILL, lasts: false)

  var kills: Bool { kind == FAULT_KILL || kind == FAULT_TORN }

  /// True if the fault is a lack of space.
  var isFull: Bool { kind == FAULT_FULL || kind == FAULT_SHORT }

  var description: String {
    let name =
      switch kind {
      case FAULT_IO: "I/O error"
      case FAULT_FULL: "full disk"
      case FAULT_SHORT: "short write"
      case FAULT_KILL: "kill"
      case FAULT_TORN: "torn write"
      default: "no fault"
      }
    return lasts ? "\(name) from there on" : name
  }

  /// The words of ``Subject``'s environment variable, for a fault at the call of this number, from 1.
  func words(at number: Int) -> String { "\(kind.rawValue) \(number) \(lasts ? 1 : 0)" }

  static func name(of call: UInt32) -> String {
    let names = ["none", "open", "read", "write", "truncate", "sync", "delete", "lock", "map"]
    return Int(call) < names.count ? names[Int(call)] : "\(call)"
  }
}
