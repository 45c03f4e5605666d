#include "baseline.h"

#include <libxml/parser.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

struct baseline {
  xmlParserCtxtPtr context;
  int is_in_item;
  long items;
  unsigned long long text_bytes;
  char *text;
  size_t count, capacity;
};

static void append(baseline *parser, const xmlChar *bytes, size_t count) {
  if (parser->count + count > parser->capacity) {
    size_t capacity = 2 * (parser->count + count) + 4096;
    char *text = realloc(parser->text, capacity);
    if (text == NULL) abort();
    parser->text = text;
    parser->capacity = capacity;
  }
  memcpy(parser->text + parser->count, bytes, count);
  parser->count += count;
}

static int is_item(const xmlChar *name) {
  return strcmp((const char *)name, "item") == 0 || strcmp((const char *)name, "entry") == 0;
}

static void start_nothing(
    void *data, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri, int namespace_count,
    const xmlChar **namespaces, int count, int defaulted, const xmlChar **attributes) {
  baseline *parser = data;
  if (is_item(name)) parser->items++;
}

static void end_nothing(void *data, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri) {}

static void text_nothing(void *data, const xmlChar *bytes, int count) {}

static void start_collecting(
    void *data, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri, int namespace_count,
    const xmlChar **namespaces, int count, int defaulted, const xmlChar **attributes) {
  baseline *parser = data;
  if (is_item(name)) {
    parser->is_in_item = 1;
    parser->count = 0;
  }
  if (!parser->is_in_item) return;
  for (int index = 0; index < count; index++) {
    const xmlChar *value = attributes[5 * index + 3], *end = attributes[5 * index + 4];
    append(parser, value, (size_t)(end - value));
  }
}

static void end_collecting(void *data, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri) {
  baseline *parser = data;
  if (!is_item(name)) return;
  parser->is_in_item = 0;
  parser->items++;
  parser->text_bytes += parser->count;
}

static void text_collecting(void *data, const xmlChar *bytes, int count) {
  baseline *parser = data;
  if (parser->is_in_item) append(parser, bytes, (size_t)count);
}

baseline *baseline_create(int keeps_text) {
  xmlSAXHandler callbacks;
  memset(&callbacks, 0, sizeof callbacks);
  callbacks.initialized = XML_SAX2_MAGIC;
  callbacks.startElementNs = keeps_text ? start_collecting : start_nothing;
  callbacks.endElementNs = keeps_text ? end_collecting : end_nothing;
  callbacks.characters = keeps_text ? text_collecting : text_nothing;
  callbacks.cdataBlock = callbacks.ignorableWhitespace = callbacks.characters;

  baseline *parser = calloc(1, sizeof *parser);
  if (parser == NULL) return NULL;
  parser->context = xmlCreatePushParserCtxt(&callbacks, parser, NULL, 0, NULL);
  if (parser->context == NULL) {
    free(parser);
    return NULL;
  }
  xmlCtxtUseOptions(parser->context, XML_PARSE_NONET);
  return parser;
}

void baseline_push(baseline *parser, const char *bytes, size_t count) {
  xmlParseChunk(parser->context, bytes, (int)count, 0);
}

long baseline_finish(baseline *parser, unsigned long long *text) {
  xmlParseChunk(parser->context, NULL, 0, 1);
  long items = parser->context->wellFormed ? parser->items : -1;
  *text = parser->text_bytes;
  xmlFreeParserCtxt(parser->context);
  free(parser->text);
  free(parser);
  return items;
}

void baseline_keep_memory(void) { mallopt(M_TRIM_THRESHOLD, 16 << 20); }
