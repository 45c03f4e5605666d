#ifndef CXXHASH_SHIM_H
#define CXXHASH_SHIM_H

// Header only: the functions are inlined, nothing is linked.
#define XXH_INLINE_ALL
#include <xxhash.h>

#endif
