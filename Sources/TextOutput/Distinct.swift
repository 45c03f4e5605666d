/// Returns texts in their order, each once. They are compared byte by byte, as the store compares them.
public func distinct(_ texts: [String]) -> [String] {
  var seen: Set<[UInt8]> = []
  return texts.filter { seen.insert(Array($0.utf8)).inserted }
}
