import Foundation

/// Runs the compiler with the macro, as a build does.
enum Compiler {
  static let fileName = "Snippet.swift"
  private static let repository = URL(
    fileURLWithPath: "../../../..", relativeTo: URL(fileURLWithPath: #filePath))

  /// Checks the types in a file, and returns what the compiler prints.
  static func check(_ source: String, _ options: [String] = []) throws -> (output: String, errors: String) {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "macro-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent(fileName)
    try source.write(to: file, atomically: false, encoding: .utf8)
    return try run(options + [file.path])
  }

  private static func run(_ arguments: [String]) throws -> (output: String, errors: String) {
    let products = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent().path
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments =
      [
        "swiftc", "-typecheck", "-swift-version", "6", "-parse-as-library", "-module-name", "Snippet", "-I",
        products + "/Modules", "-load-plugin-executable",
        products + "/ManagedContextMacrosPlugin-tool#ManagedContextMacrosPlugin", "-Xcc",
        "-fmodule-map-file=\(repository.appendingPathComponent("Sources/CSystem/module.modulemap").path)",
      ] + arguments
    let (output, errors) = (Pipe(), Pipe())
    (process.standardOutput, process.standardError) = (output, errors)
    try process.run()
    // The compiler prints less than a pipe holds to one of the two.
    let read = try errors.fileHandleForReading.readToEnd() ?? Data()
    let printed = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (String(decoding: printed, as: UTF8.self), String(decoding: read, as: UTF8.self))
  }
}
