/// A generator of the same numbers for the same seed, on every machine and with every Swift (SplitMix64).
///
/// The standard library's random functions may change; these do not.
public struct Dice {
  private var state: UInt64

  public init(seed: UInt64) {
    state = seed
  }

  /// Creates separate dice for a part, so that each part can be generated alone.
  init(seed: UInt64, _ part: Int, _ detail: Int = 0) {
    var dice = Dice(seed: seed ^ UInt64(bitPattern: Int64(part)) &* 0xD6E8_FEB8_6659_FD93)
    dice.state ^= UInt64(bitPattern: Int64(detail)) &* 0xA076_1D64_78BD_642F
    self = Dice(seed: dice.next())
  }

  /// Returns the next 64 bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Returns a number from 0 up to but not including `bound`, which is at least 1.
  mutating func roll(_ bound: Int) -> Int {
    Int(next() >> 1) % bound
  }

  mutating func chance(_ percent: Int) -> Bool {
    roll(100) < percent
  }

  /// Returns one of some elements, which must not be empty.
  mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[roll(elements.count)]
  }
}
