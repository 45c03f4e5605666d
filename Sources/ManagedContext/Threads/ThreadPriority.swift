#if canImport(Glibc)
  import Glibc
#endif

/// Sets the niceness of the calling thread; on Linux `setpriority` with process 0 means just that thread.
///
/// Nothing happens at 0, and where the system refuses: the priority is a kindness, not a need (setpriority(2)).
func lowerPriorityOfThisThread(to niceness: Int32) {
  guard niceness > 0 else { return }
  _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness)
}
