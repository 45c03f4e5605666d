import WebAddress

/// Returns texts in their order, each once. They are compared byte by byte, as the store compares them.
func distinct(_ texts: [String]) -> [String] {
  var seen: Set<[UInt8]> = []
  return texts.filter { seen.insert(Array($0.utf8)).inserted }
}

/// Returns addresses in their order, each once.
func distinct(_ addresses: [WebAddress]) -> [WebAddress] {
  var seen: Set<WebAddress> = []
  return addresses.filter { seen.insert($0).inserted }
}
