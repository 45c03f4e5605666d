// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Notes",
  dependencies: [.package(name: "newsimport", path: "../..", traits: [])],
  targets: [
    .executableTarget(
      name: "notes", dependencies: [.product(name: "ManagedContext", package: "newsimport")])
  ])
