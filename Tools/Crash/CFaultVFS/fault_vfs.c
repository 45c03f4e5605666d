#define _GNU_SOURCE
#include "fault_vfs.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static sqlite3_vfs *below;
static struct fault_plan plan;
static struct fault_state *state;
static int record = -1;
static pthread_mutex_t record_lock = PTHREAD_MUTEX_INITIALIZER;
// The system error of the last fault, for sqlite3_system_errno.
static _Thread_local int fault_errno;

struct fault_file {
  sqlite3_file base;
  sqlite3_file *real;
  char *path;
  // True if the folder must be synced with the first sync, as the default VFS does after it creates a journal or log.
  int syncs_folder;
};

// MARK: Faults

// Returns whether the plan's fault can affect a call.
static int affects(enum fault_call call) {
  switch (plan.kind) {
  case FAULT_NONE:
  case FAULT_IO:
  case FAULT_KILL: return 1;
  case FAULT_FULL: return call == CALL_OPEN || call == CALL_WRITE || call == CALL_TRUNCATE || call == CALL_SYNC || call == CALL_MAP;
  case FAULT_SHORT:
  case FAULT_TORN: return call == CALL_WRITE;
  case FAULT_NO_SYNC: return call == CALL_SYNC;
  }
  return 0;
}

// Counts a call, and returns whether it is to fail. Does not return if the process is to be killed before it.
static int fails(enum fault_call call) {
  if (!affects(call)) return 0;
  uint64_t number = 1 + atomic_fetch_add((_Atomic uint64_t *)&state->calls, 1);
  if (plan.kind == FAULT_NONE || number < plan.at || (number > plan.at && !plan.repeats)) return 0;
  if (number == plan.at) state->failed_call = call;
  if (plan.kind == FAULT_KILL) kill(getpid(), SIGKILL);
  fault_errno = plan.kind == FAULT_IO ? EIO : ENOSPC;
  return 1;
}

// MARK: The record

static void append(const void *bytes, size_t count) {
  while (count > 0) {
    ssize_t written = write(record, bytes, count);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) abort();
    bytes = (const char *)bytes + written;
    count -= (size_t)written;
  }
}

static void note(enum fault_change_kind kind, const char *path, sqlite3_int64 offset, const void *data, int length) {
  if (record < 0 || path == NULL) return;
  struct fault_change change = {kind, (uint32_t)strlen(path), (uint64_t)offset, (uint64_t)length};
  pthread_mutex_lock(&record_lock);
  append(&change, sizeof change);
  append(path, change.name_length);
  append(data, (size_t)length);
  pthread_mutex_unlock(&record_lock);
}

// MARK: Files

#define REAL(file) (((struct fault_file *)(file))->real)

static int file_close(sqlite3_file *file) {
  struct fault_file *own = (struct fault_file *)file;
  int code = own->real->pMethods == NULL ? SQLITE_OK : own->real->pMethods->xClose(own->real);
  free(own->path);
  own->path = NULL;
  return code;
}

static int file_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
  if (fails(CALL_READ)) return SQLITE_IOERR_READ;
  return REAL(file)->pMethods->xRead(REAL(file), bytes, count, offset);
}

static int file_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
  struct fault_file *own = (struct fault_file *)file;
  if (fails(CALL_WRITE)) {
    if (plan.kind == FAULT_IO) return SQLITE_IOERR_WRITE;
    if (plan.kind == FAULT_SHORT || plan.kind == FAULT_TORN) {
      own->real->pMethods->xWrite(own->real, bytes, count / 2, offset);
      if (plan.kind == FAULT_TORN) kill(getpid(), SIGKILL);
    }
    return SQLITE_FULL;
  }
  int code = own->real->pMethods->xWrite(own->real, bytes, count, offset);
  if (code == SQLITE_OK) note(CHANGE_WRITE, own->path, offset, bytes, count);
  return code;
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size) {
  struct fault_file *own = (struct fault_file *)file;
  if (fails(CALL_TRUNCATE)) return SQLITE_IOERR_TRUNCATE;
  int code = own->real->pMethods->xTruncate(own->real, size);
  if (code == SQLITE_OK) note(CHANGE_TRUNCATE, own->path, size, NULL, 0);
  return code;
}

static int file_sync(sqlite3_file *file, int flags) {
  struct fault_file *own = (struct fault_file *)file;
  if (fails(CALL_SYNC)) return plan.kind == FAULT_NO_SYNC ? SQLITE_OK : SQLITE_IOERR_FSYNC;
  int code = own->real->pMethods->xSync(own->real, flags);
  if (code != SQLITE_OK) return code;
  note(CHANGE_SYNC, own->path, 0, NULL, 0);
  if (own->syncs_folder) note(CHANGE_SYNC_FOLDER, own->path, 0, NULL, 0);
  own->syncs_folder = 0;
  return code;
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
  return REAL(file)->pMethods->xFileSize(REAL(file), size);
}

static int file_lock(sqlite3_file *file, int level) {
  if (fails(CALL_LOCK)) return SQLITE_IOERR_LOCK;
  return REAL(file)->pMethods->xLock(REAL(file), level);
}

static int file_unlock(sqlite3_file *file, int level) {
  return REAL(file)->pMethods->xUnlock(REAL(file), level);
}

static int file_is_reserved(sqlite3_file *file, int *result) {
  return REAL(file)->pMethods->xCheckReservedLock(REAL(file), result);
}

static int file_control(sqlite3_file *file, int operation, void *argument) {
  return REAL(file)->pMethods->xFileControl(REAL(file), operation, argument);
}

static int file_sector_size(sqlite3_file *file) { return REAL(file)->pMethods->xSectorSize(REAL(file)); }

static int file_characteristics(sqlite3_file *file) {
  return REAL(file)->pMethods->xDeviceCharacteristics(REAL(file));
}

static int file_map_shared(sqlite3_file *file, int page, int size, int extends, void volatile **map) {
  if (fails(CALL_MAP)) return plan.kind == FAULT_IO ? SQLITE_IOERR_SHMMAP : SQLITE_IOERR_SHMSIZE;
  return REAL(file)->pMethods->xShmMap(REAL(file), page, size, extends, map);
}

static int file_lock_shared(sqlite3_file *file, int offset, int count, int flags) {
  if (!(flags & SQLITE_SHM_UNLOCK) && fails(CALL_LOCK)) return SQLITE_IOERR_SHMLOCK;
  return REAL(file)->pMethods->xShmLock(REAL(file), offset, count, flags);
}

static void file_barrier(sqlite3_file *file) { REAL(file)->pMethods->xShmBarrier(REAL(file)); }

static int file_unmap_shared(sqlite3_file *file, int deletes) {
  return REAL(file)->pMethods->xShmUnmap(REAL(file), deletes);
}

static int file_fetch(sqlite3_file *file, sqlite3_int64 offset, int count, void **bytes) {
  return REAL(file)->pMethods->xFetch(REAL(file), offset, count, bytes);
}

static int file_unfetch(sqlite3_file *file, sqlite3_int64 offset, void *bytes) {
  return REAL(file)->pMethods->xUnfetch(REAL(file), offset, bytes);
}

static const sqlite3_io_methods methods = {
  3, file_close, file_read, file_write, file_truncate, file_sync, file_size, file_lock, file_unlock,
  file_is_reserved, file_control, file_sector_size, file_characteristics, file_map_shared, file_lock_shared,
  file_barrier, file_unmap_shared, file_fetch, file_unfetch,
};

// MARK: The file system

static int vfs_open(sqlite3_vfs *vfs, sqlite3_filename path, sqlite3_file *file, int flags, int *result) {
  struct fault_file *own = (struct fault_file *)file;
  memset(own, 0, sizeof *own);
  own->real = (sqlite3_file *)(own + 1);
  own->real->pMethods = NULL;
  if (fails(CALL_OPEN)) return SQLITE_CANTOPEN;
  int is_new = path != NULL && (flags & SQLITE_OPEN_CREATE) && access(path, F_OK) != 0;
  int code = below->xOpen(below, path, own->real, flags, result);
  if (own->real->pMethods != NULL) own->base.pMethods = &methods;
  if (code != SQLITE_OK) return code;
  if (path != NULL) own->path = strdup(path);
  if (is_new) note(CHANGE_CREATE, path, 0, NULL, 0);
  own->syncs_folder = is_new && (flags & (SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL | SQLITE_OPEN_WAL));
  return code;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *path, int syncs_folder) {
  if (fails(CALL_DELETE)) return SQLITE_IOERR_DELETE;
  int code = below->xDelete(below, path, syncs_folder);
  if (code != SQLITE_OK) return code;
  note(CHANGE_DELETE, path, 0, NULL, 0);
  if (syncs_folder) note(CHANGE_SYNC_FOLDER, path, 0, NULL, 0);
  return code;
}

static int vfs_access(sqlite3_vfs *vfs, const char *path, int flags, int *result) {
  return below->xAccess(below, path, flags, result);
}

static int vfs_full_path(sqlite3_vfs *vfs, const char *path, int size, char *result) {
  return below->xFullPathname(below, path, size, result);
}

static int vfs_randomness(sqlite3_vfs *vfs, int count, char *bytes) { return below->xRandomness(below, count, bytes); }

static int vfs_sleep(sqlite3_vfs *vfs, int microseconds) { return below->xSleep(below, microseconds); }

static int vfs_time(sqlite3_vfs *vfs, sqlite3_int64 *time) { return below->xCurrentTimeInt64(below, time); }

static int vfs_old_time(sqlite3_vfs *vfs, double *time) { return below->xCurrentTime(below, time); }

static int vfs_last_error(sqlite3_vfs *vfs, int count, char *bytes) {
  // As errno, it stays until the next failure.
  return fault_errno != 0 ? fault_errno : below->xGetLastError(below, count, bytes);
}

static void note_peak_memory(void) {
  FILE *file = fopen("/proc/self/status", "re");
  if (file == NULL) return;
  char line[256];
  while (fgets(line, sizeof line, file) != NULL && sscanf(line, "VmHWM: %u", &state->peak_memory) != 1) {}
  fclose(file);
}

int fault_vfs_install(struct fault_plan given, const char *state_path, const char *record_path) {
  plan = given;
  int file = state_path == NULL ? -1 : open(state_path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (state_path != NULL && (file < 0 || ftruncate(file, sizeof *state) != 0)) return errno;
  int flags = file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
  state = mmap(NULL, sizeof *state, PROT_READ | PROT_WRITE, flags, file, 0);
  if (state == MAP_FAILED) return errno;
  if (file >= 0) close(file);
  if (atexit(note_peak_memory) != 0) return ENOMEM;
  if (record_path != NULL) {
    record = open(record_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (record < 0) return errno;
  }
  below = sqlite3_vfs_find(NULL);
  if (below == NULL) return ENOENT;
  static sqlite3_vfs vfs;
  vfs = *below;
  vfs.zName = "fault";
  vfs.szOsFile = (int)sizeof(struct fault_file) + below->szOsFile;
  vfs.xOpen = vfs_open;
  vfs.xDelete = vfs_delete;
  vfs.xAccess = vfs_access;
  vfs.xFullPathname = vfs_full_path;
  vfs.xRandomness = vfs_randomness;
  vfs.xSleep = vfs_sleep;
  vfs.xCurrentTime = vfs_old_time;
  vfs.xCurrentTimeInt64 = vfs_time;
  vfs.xGetLastError = vfs_last_error;
  return sqlite3_vfs_register(&vfs, 1) == SQLITE_OK ? 0 : ENOMEM;
}
