#ifndef CGLIBC_SHIM_H
#define CGLIBC_SHIM_H

// What Swift's own module of the C library leaves out: mallopt(3), memmem(3), wcwidth(3), a flag of open(2),
// pipe2(2), and additions to posix_spawn(3).
#include <fcntl.h>
#include <malloc.h>
#include <spawn.h>
#include <wchar.h>

// The headers declare these only for programs that ask for additions before the first include.
extern int wcwidth(wchar_t character);
extern void *memmem(const void *bytes, size_t count, const void *part, size_t part_count);

extern int pipe2(int ends[2], int flags);
extern int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions, const char *path);
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);

// O_TMPFILE: a file without a name.
static const int unnamed_file_flag = __O_TMPFILE;

#endif
