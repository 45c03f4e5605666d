internal import Foundation

/// Returns the description of a system call's error.
public func systemCause(_ code: Int32) -> String {
  unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
}

/// Returns the description of the error of the last failed system call.
public func systemCause() -> String { systemCause(errno) }
