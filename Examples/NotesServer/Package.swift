// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "NotesServer",
  dependencies: [
    .package(name: "newsimport", path: "../..", traits: []),
    .package(
      url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: ["FullFoundation"]),
  ],
  targets: [
    .executableTarget(
      name: "NotesServer",
      dependencies: [
        .product(name: "ManagedContext", package: "newsimport"),
        .product(name: "Hummingbird", package: "hummingbird"),
      ])
  ])
