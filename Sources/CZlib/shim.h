#ifndef CZLIB_SHIM_H
#define CZLIB_SHIM_H

// Input is not changed.
#define ZLIB_CONST
#include <zlib.h>

#endif
