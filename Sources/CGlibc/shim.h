#ifndef CGLIBC_SHIM_H
#define CGLIBC_SHIM_H

// What Swift's own module of the C library leaves out: mallopt(3) and wcwidth(3).
#include <malloc.h>
#include <wchar.h>

// The header declares it only for programs that ask for X/Open's additions before the first include.
extern int wcwidth(wchar_t character);

#endif
