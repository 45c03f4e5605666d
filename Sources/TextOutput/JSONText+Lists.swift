extension JSONText {
  public mutating func object(_ name: StaticString, _ body: (inout JSONText) -> Void) {
    key(name)
    open("{")
    body(&self)
    close("}")
  }

  /// Writes a list of objects; writes nothing if it is empty.
  public mutating func objects<Element>(
    _ name: StaticString, _ elements: [Element], _ body: (Element, inout JSONText) -> Void
  ) {
    guard !elements.isEmpty else { return }
    key(name)
    open("[")
    for element in elements {
      open("{")
      body(element, &self)
      close("}")
    }
    close("]")
  }

  /// Writes a list of texts; writes nothing if it is empty.
  public mutating func strings(_ name: StaticString, _ values: [String]) {
    guard !values.isEmpty else { return }
    key(name)
    strings(values)
  }

  /// Writes a list of texts.
  public mutating func strings(_ values: [String]) {
    open("[")
    for value in values { string(value) }
    close("]")
  }

  public mutating func flag(_ name: StaticString, _ value: Bool?) {
    if let value { field(name, value) }
  }

  public mutating func field(_ name: StaticString, _ value: Double?) {
    guard let value else { return }
    key(name)
    number(value)
  }
}
