#ifndef FAULT_VFS_H
#define FAULT_VFS_H

#include <stdint.h>

// A SQLite VFS for tests. It passes all calls to the default VFS and counts them. At one call it can fail, end the
// process, or tear a write. It can also record all changes, so that a power failure can be replayed.

enum fault_kind {
  FAULT_NONE,
  // A call fails with EIO.
  FAULT_IO,
  // A call that needs space fails with ENOSPC.
  FAULT_FULL,
  // A write writes its first half, and then fails with ENOSPC.
  FAULT_SHORT,
  // The process is killed before a call.
  FAULT_KILL,
  // A write writes its first half, and the process is killed.
  FAULT_TORN,
  // A sync returns without having synced anything. The process goes on.
  FAULT_NO_SYNC,
};

// The calls that are counted.
enum fault_call {
  CALL_NONE,
  CALL_OPEN,
  CALL_READ,
  CALL_WRITE,
  CALL_TRUNCATE,
  CALL_SYNC,
  CALL_DELETE,
  CALL_LOCK,
  CALL_MAP,
};

struct fault_plan {
  enum fault_kind kind;
  // The number of the call, from 1. Only calls that the fault can affect are counted.
  uint64_t at;
  // True if the later calls fail, too.
  int32_t repeats;
};

// The state of a run, in a file of this form that outlives the process.
struct fault_state {
  // The number of calls that the fault could affect.
  uint64_t calls;
  // The kind of the call that failed first (enum fault_call); CALL_NONE if the plan's number was not reached.
  uint32_t failed_call;
  // VmHWM of proc_pid_status(5) at the end of the process, in KiB; 0 if it was killed. The ru_maxrss of wait4(2) includes
  // the memory of the process that started it.
  uint32_t peak_memory;
};

// A change in the record: this header, followed by `name_length` bytes of the file's path and `length` bytes of data.
struct fault_change {
  uint32_t kind;
  uint32_t name_length;
  // The offset of a write; the new size for a truncation.
  uint64_t offset;
  uint64_t length;
};

enum fault_change_kind {
  CHANGE_WRITE = 1,
  CHANGE_TRUNCATE,
  CHANGE_SYNC,
  // The file was created.
  CHANGE_CREATE,
  CHANGE_DELETE,
  // The folder of the file was synced: the names in it are durable.
  CHANGE_SYNC_FOLDER,
};

// Makes the VFS the default of the process. `state` and `record` are paths of files, or NULL.
//
// Returns 0, or the number of a system error. To be called once, before SQLite is used.
int fault_vfs_install(struct fault_plan plan, const char *state, const char *record);

// Plants a defect, which a sweep must report: every connection commits after each article that it saves.
//
// Returns SQLite's result code. To be called once, before SQLite is used.
int seed_split_commits(void);

#endif
