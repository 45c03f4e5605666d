#ifndef CGLIBC_SHIM_H
#define CGLIBC_SHIM_H

// What Swift's own module of the C library leaves out: mallopt(3), memmem(3), wcwidth(3), and a flag of open(2).
#include <fcntl.h>
#include <malloc.h>
#include <wchar.h>

// The headers declare these only for programs that ask for additions before the first include.
extern int wcwidth(wchar_t character);
extern void *memmem(const void *bytes, size_t count, const void *part, size_t part_count);

// O_TMPFILE: a file without a name.
static const int unnamed_file_flag = __O_TMPFILE;

#endif
