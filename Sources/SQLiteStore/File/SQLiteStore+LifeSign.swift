public import ManagedContext
internal import TextOutput

/// Life signs as one-byte locks: see ``ByteLock``. File offsets up to 2^32 belong to hooks.
extension SQLiteStore {
  public func beginLifeSign(_ number: Int64) throws(StoreError) -> LifeSign {
    do throws(ByteLock.Failure) {
      if let lock = try ByteLock(number, ofStore: name) { return LifeSign { withExtendedLifetime(lock) {} } }
    } catch {
      throw .inputOutput(error.text(ofStore: name))
    }
    throw .inputOutput("\(ByteLock.path(ofStore: name)): the number \(number) is in use")
  }

  public func lifeSigns(among numbers: Set<Int64>, isPatient: Bool) throws(StoreError) -> Set<Int64> {
    var held: Set<Int64> = []
    do throws(ByteLock.Failure) {
      for number in numbers where try ByteLock.isHeld(number, ofStore: name) { held.insert(number) }
      return held
    } catch .cannotOpen {
      return numbers
    } catch {
      throw .inputOutput(error.text(ofStore: name))
    }
  }
}

extension ByteLock.Failure {
  /// Returns a description of the failure, with the path of the file.
  public func text(ofStore path: String) -> String {
    let (what, code) =
      switch self {
      case .cannotOpen(let code): ("opened", code)
      case .cannotLock(let code): ("locked", code)
      }
    return "\(ByteLock.path(ofStore: path)): cannot be \(what): \(systemCause(code))"
  }
}
