// swift-tools-version: 6.2
import PackageDescription

// A package of its own, because it needs swift-syntax, which newsimport does not.

let settings: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
]

let library = ["ManagedContext", "ManagedContextMacros"].map {
  Target.Dependency.product(name: $0, package: "newsimport")
}

let package = Package(
  name: "Macros",
  dependencies: [.package(name: "newsimport", path: "../..", traits: ["Macros"])],
  targets: [
    .target(name: "Shop", dependencies: library, swiftSettings: settings),
    .target(name: "Catalogue", dependencies: library, swiftSettings: settings),
    .testTarget(
      name: "MacroTests", dependencies: library + ["Catalogue", "Shop"], exclude: ["Misuse"],
      swiftSettings: settings),
  ]
)
