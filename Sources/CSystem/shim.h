#ifndef CSYSTEM_SHIM_H
#define CSYSTEM_SHIM_H

// What the context layer needs from the system and systems have in different forms: Linux with Glibc or musl, and Darwin.
// Tests run with Glibc. These functions were compiled and run with musl, but no Swift program was; Darwin was not tried.
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/inotify.h>
#endif

// Threads. A pthread_t is a number or a pointer, so that a number has room for each.
static inline int system_thread_start(uintptr_t *thread, void *(*body)(void *), void *context) {
  pthread_t handle;
  int code = pthread_create(&handle, 0, body, context);
  if (code == 0) *thread = (uintptr_t)handle;
  return code;
}

static inline int system_thread_join(uintptr_t thread) { return pthread_join((pthread_t)thread, 0); }

static inline int system_thread_detach(uintptr_t thread) { return pthread_detach((pthread_t)thread); }

static inline uintptr_t system_thread_current(void) { return (uintptr_t)pthread_self(); }

// Lowers the calling thread's priority by 1 to 19, as nice(2) does for processes.
static inline void system_thread_be_nice(int niceness) {
#ifdef __linux__
  // For process 0, Linux changes only the calling thread (setpriority(2), "C library/kernel differences").
  setpriority(PRIO_PROCESS, 0, niceness);
#endif
}

// Lets the calling thread run only when no other thread wants the processor.
static inline void system_thread_be_idle(void) {
#ifdef __linux__
  // SCHED_IDLE (sched(7)), which the headers declare only on request.
  struct sched_param parameters = {0};
  pthread_setschedparam(pthread_self(), 5, &parameters);
#else
  setpriority(PRIO_DARWIN_THREAD, 0, PRIO_DARWIN_BG);
#endif
}

// Conditions that wait on the monotonic clock.
static inline int system_condition_init(pthread_cond_t *condition) {
#ifdef __linux__
  pthread_condattr_t attributes;
  int code = pthread_condattr_init(&attributes);
  if (code != 0) return code;
  code = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  if (code == 0) code = pthread_cond_init(condition, &attributes);
  pthread_condattr_destroy(&attributes);
  return code;
#else
  return pthread_cond_init(condition, 0);
#endif
}

// Waits until a time on the monotonic clock. Returns 0 if the condition was signaled before.
static inline int system_condition_wait(
    pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *end) {
#ifdef __linux__
  return pthread_cond_timedwait(condition, mutex, end);
#else
  struct timespec now, left = {0, 0};
  clock_gettime(CLOCK_MONOTONIC, &now);
  int64_t nanoseconds = (int64_t)(end->tv_sec - now.tv_sec) * 1000000000 + end->tv_nsec - now.tv_nsec;
  if (nanoseconds > 0) {
    left.tv_sec = nanoseconds / 1000000000;
    left.tv_nsec = nanoseconds % 1000000000;
  }
  return pthread_cond_timedwait_relative_np(condition, mutex, &left);
#endif
}

// Operations of fcntl(2) on a lock that belongs to an open file and not to the process: F_OFD_SETLK and F_OFD_GETLK.
#ifdef __linux__
static const int descriptor_lock = 37;
static const int descriptor_lock_query = 36;
#else
static const int descriptor_lock = 90;
static const int descriptor_lock_query = 92;
#endif

// Makes a pair of connected sockets that child processes do not inherit; see socketpair(2).
static inline int system_socketpair(int ends[2]) {
#ifdef __linux__
  return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends);
#else
  int code = socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
  for (int end = 0; code == 0 && end < 2; end++) fcntl(ends[end], F_SETFD, FD_CLOEXEC);
  return code;
#endif
}

// Returns a descriptor that is readable after a file was created, written or deleted in a folder, or moved there; -1 on an
// error, and without inotify(7).
static inline int system_watch_folder(const char *folder) {
#ifdef __linux__
  int events = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  if (events < 0 || inotify_add_watch(events, folder, IN_MODIFY | IN_CREATE | IN_DELETE | IN_MOVED_TO) >= 0) return events;
  close(events);
#endif
  return -1;
}

// Returns the time when a file was last written, in seconds since 1970.
static inline double system_modification_time(const struct stat *status) {
#ifdef __linux__
  return (double)status->st_mtim.tv_sec + (double)status->st_mtim.tv_nsec / 1e9;
#else
  return (double)status->st_mtimespec.tv_sec + (double)status->st_mtimespec.tv_nsec / 1e9;
#endif
}

#endif
