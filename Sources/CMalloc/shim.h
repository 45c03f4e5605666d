#ifndef CMALLOC_SHIM_H
#define CMALLOC_SHIM_H

// What the C library's allocator can be told (mallopt(3)); Swift's own module of the library leaves it out.
#include <malloc.h>

#endif
