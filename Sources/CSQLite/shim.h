#ifndef CSQLITE_SHIM_H
#define CSQLITE_SHIM_H

#include <sqlite3.h>

// A typed form of SQLite's variadic function, which Swift can't call. Module GRDBSQLite has no form for this option.
static inline int csqlite_set_memory_statistics(int is_on) {
  return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, is_on);
}

#endif
