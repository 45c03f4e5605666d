#ifndef CLIBXML2_SHIM_H
#define CLIBXML2_SHIM_H

// Without ICU's headers: Foundation brings an ICU of its own, and one program cannot import both.
// Only fields at the end of encoding handlers depend on it, which nobody here touches.
#include <libxml/xmlversion.h>
#undef LIBXML_ICU_ENABLED

#include <libxml/HTMLparser.h>
#include <libxml/dict.h>
#include <libxml/entities.h>
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/xmlerror.h>

// The library that runs; Swift takes the variable itself for one that threads may change.
static inline const char *_Nullable cxml_version(void) { return xmlParserVersion; }

#endif
