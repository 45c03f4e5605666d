#ifndef CSQLITE_SHIM_H
#define CSQLITE_SHIM_H

#include <sqlite3.h>

// Typed forms of SQLite's variadic function, which Swift can't call. Module GRDBSQLite has none for these options.
static inline int csqlite_set_memory_statistics(int is_on) {
  return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, is_on);
}

static inline int csqlite_set_sorter_pages(unsigned pages) {
  return sqlite3_config(SQLITE_CONFIG_PMASZ, pages);
}

#endif
