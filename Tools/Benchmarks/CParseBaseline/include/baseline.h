#ifndef CPARSEBASELINE_H
#define CPARSEBASELINE_H

#include <stddef.h>

/// What the least possible work with libxml2's SAX2 push parser costs: the measure for FeedParsing.
typedef struct baseline baseline;

/// A parser for one document; with `keeps_text`, the text and the attribute values of each item are collected in one
/// buffer, else the callbacks do nothing. NULL without memory.
baseline *baseline_create(int keeps_text);

/// Parses a chunk; the next one is `baseline_finish`.
void baseline_push(baseline *parser, const char *bytes, size_t count);

/// Ends the document and frees the parser. Returns the number of items, or -1 when the document was not well-formed;
/// `text` gets the number of bytes of their texts.
long baseline_finish(baseline *parser, unsigned long long *text);

/// Makes the process keep up to 16 MiB of freed memory for later use: mallopt(3).
void baseline_keep_memory(void);

#endif
