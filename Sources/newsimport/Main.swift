import NewsCommand

@main
enum Main {
  static func main() async { await Program.run() }
}
