import Foundation
import TextOutput

/// Returns the description of the system error that caused a Foundation error.
func systemCause(of error: any Error) -> String {
  let error = error as NSError
  let system = error.userInfo[NSUnderlyingErrorKey] as? NSError ?? error
  return system.domain == NSPOSIXErrorDomain ? systemCause(Int32(system.code)) : error.localizedDescription
}
