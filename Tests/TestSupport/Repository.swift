public import Foundation

/// The files of the repository that tests read.
public enum Repository {
  /// The root folder of the repository.
  public static let folder = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  /// The folder of documents and stores that tests read.
  public static let fixtures = folder.appending(path: "Fixtures")
  /// The compiler's options for code that imports the built modules.
  public static let imports =
    ["-I", Command.builtProducts + "/Modules", "-I", "/usr/include/libxml2"]
    + ["CCurl", "CGlibc", "CIDN2", "CLibXML2", "CSystem"].flatMap { name in
      ["-Xcc", "-fmodule-map-file=\(folder.appending(path: "Sources/\(name)/module.modulemap").path)"]
    }
}
