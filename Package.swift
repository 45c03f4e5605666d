// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

/// The settings of every target: Swift 6 mode (by the tools version), no warnings, explicit access levels of imports.
let common: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
]

/// The settings of modules that use C pointers: each unsafe use is marked.
let memorySafe = common + [.strictMemorySafety()]

/// A package that only programs need: users of the libraries who disable the trait do not resolve it.
let argumentParser = Target.Dependency.product(
  name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["Command"]))

/// Packages that only the macro needs.
let swiftSyntax = ["SwiftSyntaxMacros", "SwiftCompilerPlugin"].map {
  Target.Dependency.product(name: $0, package: "swift-syntax", condition: .when(traits: ["Macros"]))
}

let package = Package(
  name: "newsimport",
  products: [
    .executable(name: "newsimport", targets: ["newsimport"]),
    .library(name: "ManagedContext", targets: ["ManagedContext", "SQLiteStore", "TextSearch"]),
    .library(name: "PostgreSQLStore", targets: ["ManagedContext", "PostgreSQLStore", "TextSearch"]),
    .library(name: "ManagedContextMacros", targets: ["ManagedContextMacros"]),
    .library(name: "ManagedContextTesting", targets: ["ManagedContextTesting"]),
    .library(name: "FeedParsing", targets: ["FeedParsing"]),
    // Tests preload them into the program.
    .library(name: "TestClock", type: .dynamic, targets: ["TestClock"]),
    .library(name: "StatementLog", type: .dynamic, targets: ["StatementLog"]),
  ],
  traits: [
    .trait(name: "Command", description: "The program newsimport and its options and configuration."),
    .trait(
      name: "Macros", description: "The macro @Entity of ManagedContextMacros, which needs swift-syntax."),
    .default(enabledTraits: ["Command"]),
  ],
  dependencies: [
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/LebJe/TOMLKit", from: "0.6.0"),
    .package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.1"),
  ],
  targets: [
    .systemLibrary(
      name: "CLibXML2", pkgConfig: "libxml-2.0", providers: [.apt(["libxml2-dev"])]),
    .systemLibrary(
      name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    // Without pkgConfig, which would link the library although only its header is used.
    .systemLibrary(name: "CXXHash", providers: [.apt(["libxxhash-dev"])]),
    // Loaded when they are needed, so that only their headers are used here.
    .systemLibrary(name: "CPostgreSQL", providers: [.apt(["libpq-dev"])]),
    .systemLibrary(name: "CArchive", providers: [.apt(["libarchive-dev"])]),
    .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(name: "CIDN2", providers: [.apt(["libidn2-dev"])]),
    .systemLibrary(name: "CGlibc"),
    .systemLibrary(name: "CSystem"),
    // Without pkgConfig, because GRDB links the library.
    .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
    .target(name: "CEmptyICU"),
    // The macro makes SQLite's sources call the library directly, not as loaded extensions.
    .target(
      name: "CSQLiteRecovery", cSettings: [.define("SQLITE_CORE")],
      linkerSettings: [.linkedLibrary("sqlite3")]),

    .target(name: "TextOutput", swiftSettings: memorySafe),
    .target(name: "Sequences", packageAccess: false, swiftSettings: memorySafe),
    .target(name: "WebAddress", dependencies: ["CCurl", "CIDN2", "TextOutput"], swiftSettings: memorySafe),
    .target(name: "Markup", dependencies: ["CLibXML2", "TextOutput"], swiftSettings: memorySafe),
    .target(name: "FeedParsing", dependencies: ["Markup", "TextOutput"], swiftSettings: memorySafe),
    .target(name: "HTMLText", dependencies: ["CGlibc", "Markup", "TextOutput"], swiftSettings: memorySafe),
    .target(
      name: "HTTPDownload", dependencies: ["CCurl", "Inflating", "TextOutput", "Threading", "WebAddress"],
      swiftSettings: memorySafe),
    .target(name: "Inflating", dependencies: ["CZlib"], swiftSettings: memorySafe),
    .target(
      name: "DocumentReading", dependencies: ["CArchive", "Inflating", "TextOutput"],
      swiftSettings: memorySafe),
    // The context layer and its stores have no declarations that only this package can use.
    .target(name: "Threading", dependencies: ["CSystem"], packageAccess: false, swiftSettings: memorySafe),
    .target(
      name: "ManagedContext", dependencies: ["Sequences", "TextOutput", "Threading"], packageAccess: false,
      swiftSettings: common),
    .target(
      name: "TextSearch", dependencies: ["ManagedContext", "TextOutput"], packageAccess: false,
      swiftSettings: memorySafe),
    .target(
      name: "SQLStatements", dependencies: ["ManagedContext", "TextOutput", "Threading"],
      packageAccess: false, swiftSettings: memorySafe),
    .target(
      name: "SQLiteStore",
      dependencies: [
        "CSQLite", "CSQLiteRecovery", "CSystem", "ManagedContext", "SQLStatements", "TextOutput",
        "TextSearch",
        "Threading", .product(name: "GRDB", package: "GRDB.swift"),
      ],
      packageAccess: false, swiftSettings: memorySafe),
    .target(
      name: "PostgreSQLStore",
      dependencies: [
        "CPostgreSQL", "ManagedContext", "SQLStatements", "TextOutput", "TextSearch", "Threading",
      ],
      packageAccess: false, swiftSettings: memorySafe),
    .target(
      name: "ManagedContextTesting", dependencies: ["ManagedContext", "Threading"], packageAccess: false,
      swiftSettings: common),
    // Both are empty without the trait.
    .target(
      name: "ManagedContextMacros", dependencies: ["ManagedContext", "ManagedContextMacrosPlugin"],
      packageAccess: false, swiftSettings: common),
    .macro(name: "ManagedContextMacrosPlugin", dependencies: swiftSyntax, swiftSettings: common),
    .target(
      name: "NewsModel",
      dependencies: ["HTMLText", "ManagedContext", "Sequences", "TextOutput", "WebAddress"],
      swiftSettings: common),
    .target(
      name: "FeedImport",
      dependencies: [
        "NewsModel", "ManagedContext", "DocumentReading", "FeedParsing", "HTMLText", "HTTPDownload",
        "CGlibc", "CXXHash", "Sequences", "TextOutput", "Threading", "WebAddress",
      ],
      swiftSettings: memorySafe),
    .target(
      name: "ArticleDocuments",
      dependencies: [
        "FeedImport", "NewsModel", "ManagedContext", "HTMLText", "Sequences", "TextOutput", "TextSearch",
        "WebAddress",
      ],
      swiftSettings: common),
    .target(
      name: "ArticleHooks",
      dependencies: [
        "ArticleDocuments", "NewsConfiguration", "NewsModel", "ManagedContext", "CGlibc", "Sequences",
        "TextOutput", "Threading", "WebAddress",
      ],
      swiftSettings: common),
    .target(
      name: "NewsConfiguration",
      dependencies: [
        "ArticleDocuments", "FeedImport", "NewsModel", "TextOutput", "WebAddress",
        .product(name: "TOMLKit", package: "TOMLKit", condition: .when(traits: ["Command"])),
      ],
      swiftSettings: common),
    .target(
      name: "OtherPrograms",
      dependencies: [
        "FeedImport", "NewsModel", "ManagedContext", "SQLiteStore", "DocumentReading", "FeedParsing",
        "TextOutput", "WebAddress",
      ],
      swiftSettings: common),
    .executableTarget(name: "newsimport", dependencies: ["CEmptyICU", "NewsCommand"], swiftSettings: common),
    .target(
      name: "NewsCommand",
      dependencies: [
        "ArticleDocuments", "ArticleHooks", "FeedImport", "NewsConfiguration", "OtherPrograms",
        "PostgreSQLStore", "SQLiteStore", "NewsModel", "ManagedContext", "DocumentReading", "FeedParsing",
        "HTMLText", "HTTPDownload", "Markup", "Sequences", "TextOutput", "TextSearch", "Threading",
        "WebAddress", "CGlibc",
        argumentParser,
      ],
      swiftSettings: common),

    .target(
      name: "LoopbackServer", dependencies: ["TextOutput", "Threading"], path: "Tools/LoopbackServer",
      swiftSettings: memorySafe),
    .executableTarget(
      name: "fixture-server", dependencies: ["LoopbackServer", argumentParser], path: "Tools/fixture-server",
      swiftSettings: common),

    .executableTarget(
      name: "tutorial", dependencies: ["ManagedContext", "SQLiteStore"], path: "Examples/Tutorial",
      swiftSettings: common),

    .executableTarget(
      name: "context-benchmark",
      dependencies: ["ManagedContext", "SQLiteStore", .product(name: "GRDB", package: "GRDB.swift")],
      path: "Tools/Benchmarks/ContextBenchmark", swiftSettings: common),

    .target(
      name: "Corpus", dependencies: ["TextOutput"], path: "Tools/Benchmarks/Corpus", swiftSettings: common),
    .executableTarget(
      name: "bench",
      dependencies: [
        "CParseBaseline", "Corpus", "FeedImport", "FeedParsing", "HTTPDownload", "LoopbackServer",
        "ManagedContext", "NewsModel", "PostgreSQLStore", "SQLiteStore", "TestSupport", "Threading",
        "WebAddress", argumentParser,
      ],
      path: "Tools/Benchmarks/Bench", swiftSettings: common),

    .target(
      name: "CParseBaseline", dependencies: ["CLibXML2"], path: "Tools/Benchmarks/CParseBaseline"),

    .executableTarget(
      name: "stalls", dependencies: ["ManagedContext", "SQLiteStore", "Threading"],
      path: "Examples/Stalls", swiftSettings: memorySafe),

    .target(name: "TestClock", path: "Tools/TestClock", linkerSettings: [.linkedLibrary("dl")]),
    .target(name: "StatementLog", path: "Tools/StatementLog", linkerSettings: [.linkedLibrary("sqlite3")]),
    .systemLibrary(name: "CLibFuzzer", path: "Tools/Fuzz/CLibFuzzer"),
    .target(
      name: "ParserLaws", dependencies: ["FeedParsing", "Markup", "TextOutput"],
      path: "Tools/Fuzz/ParserLaws",
      swiftSettings: memorySafe),
    .target(
      name: "ProgramLaws",
      dependencies: [
        "ArticleDocuments", "ParserLaws", "FeedImport", "HTTPDownload", "Inflating", "ManagedContext",
        "NewsConfiguration", "NewsModel", "SQLiteStore", "TextSearch", "WebAddress",
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      path: "Tools/Fuzz/ProgramLaws", swiftSettings: common),
    .target(
      name: "FuzzDriver", dependencies: ["ParserLaws", "CLibFuzzer"], path: "Tools/Fuzz/FuzzDriver",
      swiftSettings: memorySafe),
    .executableTarget(
      name: "feed-fuzz", dependencies: ["FuzzDriver", "ParserLaws"], path: "Tools/Fuzz/feed-fuzz",
      swiftSettings: memorySafe),
    .executableTarget(
      name: "program-fuzz", dependencies: ["FuzzDriver", "ProgramLaws"], path: "Tools/Fuzz/program-fuzz",
      swiftSettings: common),

    .target(
      name: "CFaultVFS", path: "Tools/Crash/CFaultVFS", linkerSettings: [.linkedLibrary("sqlite3")]),
    .target(name: "CRunServer", path: "Tools/Crash/CRunServer"),
    .executableTarget(
      name: "crash-subject",
      dependencies: ["CFaultVFS", "CRunServer", "FeedImport", "NewsCommand", "SQLiteStore"],
      path: "Tools/Crash/crash-subject", swiftSettings: common),
    .executableTarget(
      name: "crash",
      dependencies: [
        "CFaultVFS", "LoopbackServer", "PostgreSQLStore", "TestSupport", "Threading",
        argumentParser,
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      path: "Tools/Crash/crash", swiftSettings: common),

    .target(
      name: "TestSupport",
      dependencies: [
        "CRunServer", "ManagedContext", "ManagedContextTesting", "PostgreSQLStore", "SQLiteStore",
        "NewsModel", "FeedImport", "LoopbackServer", "Threading", "WebAddress",
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      path: "Tests/TestSupport", swiftSettings: common),
    .testTarget(
      name: "ManagedContextTests",
      dependencies: [
        "ManagedContext", "ManagedContextTesting", "Sequences", "TestSupport", "TextOutput", "Threading",
      ],
      exclude: ["MustNotCompile", "NotSeen"], swiftSettings: common),
    .testTarget(
      name: "FeedImportTests",
      dependencies: [
        "FeedImport", "DocumentReading", "FeedParsing", "HTTPDownload", "NewsModel", "ManagedContext",
        "ManagedContextTesting", "SQLiteStore", "LoopbackServer", "TestSupport", "Threading",
        "WebAddress",
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      swiftSettings: common),
    .testTarget(
      name: "NewsModelTests",
      dependencies: [
        "NewsModel", "ManagedContext", "ManagedContextTesting", "SQLiteStore", "LoopbackServer",
        "TestSupport", "WebAddress",
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      swiftSettings: common),
    .testTarget(
      name: "CommandTests",
      dependencies: [
        "newsimport", "ArticleDocuments", "ArticleHooks", "HTMLText", "NewsCommand", "NewsConfiguration",
        "LoopbackServer", "ManagedContextTesting", "OtherPrograms", "ParserLaws",
        "PostgreSQLStore", "ProgramLaws", "SQLiteStore", "TestSupport", "TextOutput", "TextSearch",
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      swiftSettings: common),
    .testTarget(
      name: "DocumentReadingTests", dependencies: ["CGlibc", "DocumentReading", "TestSupport"],
      swiftSettings: memorySafe),
    .testTarget(name: "WebAddressTests", dependencies: ["WebAddress"], swiftSettings: common),
    .testTarget(name: "TextOutputTests", dependencies: ["TestSupport", "TextOutput"], swiftSettings: common),
    .testTarget(
      name: "HTMLTextTests", dependencies: ["HTMLText", "Markup", "TestSupport"], swiftSettings: common),
    .testTarget(
      name: "MarkupTests", dependencies: ["Markup", "TestSupport"], swiftSettings: memorySafe),
    .testTarget(
      name: "FeedParsingTests", dependencies: ["FeedParsing", "ParserLaws", "TestSupport", "TextOutput"],
      swiftSettings: memorySafe),
    .testTarget(
      name: "HTTPDownloadTests",
      dependencies: ["HTTPDownload", "LoopbackServer", "TestSupport", "Threading", "WebAddress"],
      swiftSettings: memorySafe),
    .testTarget(
      name: "BenchmarkTests", dependencies: ["bench", "Corpus", "FeedParsing"], swiftSettings: common),
    .testTarget(
      name: "PostgreSQLStoreTests",
      dependencies: [
        "PostgreSQLStore", "SQLiteStore", "ManagedContext", "TestSupport", "TextSearch", "Threading",
      ],
      swiftSettings: common),
    .testTarget(
      name: "SQLiteStoreTests",
      dependencies: [
        "newsimport", "SQLStatements", "SQLiteStore", "ManagedContext", "TestSupport", "TextSearch",
        "Threading",
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      swiftSettings: common),
  ]
)
