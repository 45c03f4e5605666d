internal import CLibXML2

/// libxml2 as a whole.
public enum XMLLibrary {
  /// The version of the library that runs, which need not be the one that this was built with: "2.9.14".
  public static var version: String {
    guard let name = unsafe cxml_version() else { return "unknown" }
    // 20914 stands for 2.9.14; what follows the digits says where it was built from.
    let text = unsafe String(cString: name)
    guard let number = Int(text.prefix(while: \.isNumber)) else { return text }
    return "\(number / 10000).\(number / 100 % 100).\(number % 100)"
  }
}
