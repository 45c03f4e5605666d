import FuzzDriver
import ProgramLaws

/// Searches for inputs besides documents that violate a law of the program.
@main
enum ProgramFuzz {
  static func main() { FuzzDriver.main(ProgramLaw.self) }
}
