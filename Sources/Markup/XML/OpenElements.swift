/// The open elements and the namespaces that they declare. The tolerant parser needs them to continue after the strict
/// one.
@safe
struct OpenElements {
  @safe
  struct Binding {
    let prefix: UnsafePointer<UInt8>?
    let namespace: UnsafePointer<UInt8>?
  }

  private var names: [XMLName] = []
  /// The number of bindings before each element.
  private var bindingCounts: [Int] = []
  private var bindings: [Binding] = []

  var depth: Int { names.count }

  /// The number of namespace declarations in force.
  var bindingCount: Int { bindings.count }

  /// The element that was opened last.
  var top: XMLName? { names.last }

  /// Returns the open element at position `count` from the top; 1 is the top.
  func name(fromTop count: Int) -> XMLName? {
    count > 0 && count <= names.count ? names[names.count - count] : nil
  }

  /// Declares a namespace for the element that is pushed next.
  mutating func bind(prefix: UnsafePointer<UInt8>?, to namespace: UnsafePointer<UInt8>?) {
    unsafe bindings.append(Binding(prefix: prefix, namespace: namespace))
  }

  /// Pushes an element that declares the last `count` bindings itself.
  mutating func push(_ name: XMLName, declaring count: Int) {
    names.append(name)
    bindingCounts.append(bindings.count - count)
  }

  mutating func pop() {
    guard names.popLast() != nil, let count = bindingCounts.popLast() else { return }
    if bindings.count > count { bindings.removeLast(bindings.count - count) }
  }

  mutating func cut(toDepth depth: Int) {
    while names.count > depth { pop() }
  }

  /// Returns the namespace of a prefix (nil: none) here.
  func namespace(for prefix: UnsafePointer<UInt8>?) -> UnsafePointer<UInt8>? {
    unsafe bindings.last { unsafe $0.prefix == prefix }?.namespace
  }

  /// Returns the number of elements that an end tag ends; 0 if no open element matches.
  func countClosed(byEndOf name: XMLName) -> Int {
    if let top = names.last, top == name { return 1 }
    if let index = names.lastIndex(where: { $0 == name }) { return names.count - index }
    let index = names.suffix(32).lastIndex { $0.hasSameLocalIgnoringCase(as: name) }
    return index.map { names.count - $0 } ?? 0
  }
}
