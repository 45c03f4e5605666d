internal import CLibXML2

/// The libxml2 library.
public enum XMLLibrary {
  /// The version of the library at run time, which may differ from that of the build: "2.9.14".
  public static var version: String {
    guard let name = unsafe cxml_version() else { return "unknown" }
    // 20914 is version 2.9.14; the text after the digits names the origin of the build.
    let text = unsafe String(cString: name)
    guard let number = Int(text.prefix(while: \.isNumber)) else { return text }
    return "\(number / 10000).\(number / 100 % 100).\(number % 100)"
  }
}
