import Hummingbird

// usage: NotesServer [FILE [PORT]]    Port 0 is any free port, which the log names.
let arguments = CommandLine.arguments.dropFirst()
let stack = try Stack(path: arguments.first ?? "notes.sqlite")
let router = Router()
router.add(middleware: StoreErrors())
NoteRoutes(stack: stack).add(to: router)

let app = Application(
  router: router,
  configuration: .init(
    address: .hostname("127.0.0.1", port: arguments.dropFirst().first.flatMap { Int($0) } ?? 8080)))
// SIGTERM and SIGINT end the service after the requests that have begun.
try await app.runService()
stack.root.close()
