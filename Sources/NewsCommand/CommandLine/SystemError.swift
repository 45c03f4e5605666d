import Foundation
import Glibc

/// Returns the description of an error of the system, by default of its last failed call.
func systemCause(_ code: Int32 = errno) -> String {
  String(cString: strerror(code))
}

/// Returns the description of the system's error behind one of Foundation's.
func systemCause(of error: any Error) -> String {
  let error = error as NSError
  let system = error.userInfo[NSUnderlyingErrorKey] as? NSError ?? error
  return system.domain == NSPOSIXErrorDomain ? systemCause(Int32(system.code)) : error.localizedDescription
}
