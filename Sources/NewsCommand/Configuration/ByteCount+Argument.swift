import ArgumentParser
import NewsConfiguration

extension ByteCount {
  /// - Throws: `ValidationError` unless the argument is a size from 1 byte to 1 TiB.
  init(argument: String) throws {
    do throws(Mistake) {
      try self.init(argument)
    } catch .notSize {
      throw ValidationError("'\(argument)' is not a size; write it like 32MiB.")
    } catch {
      throw ValidationError("'\(argument)' is out of range; a size is from 1 byte to 1 TiB.")
    }
  }
}
