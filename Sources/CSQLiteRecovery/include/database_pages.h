// A SQLite file's pages as rows, for SQLite's recovery extension.
//
// sqlite3recover.c, sqlite3recover.h and dbdata.c are unchanged files from SQLite 3.40.1 (ext/recover), in the
// public domain (sqlite.org/copyright.html). They implement the shell command .recover. They need the virtual
// table sqlite_dbpage, which Debian 12 and Ubuntu 24.04 lack (no SQLITE_ENABLE_DBPAGE_VTAB).
#ifndef DATABASE_PAGES_H
#define DATABASE_PAGES_H

#include <sqlite3.h>

// Adds a read-only table sqlite_dbpage(schema) with the main file's whole pages, without its log. Its columns
// are pgno and data (sqlite.org/dbpage.html).
int database_pages_add(sqlite3 *connection);

// Limits new connections to one attached file, until database_pages_allow_attaching. The recovery runs
// statements from the damaged file's views and triggers, and attaches one file itself.
int database_pages_limit_attaching(void);
void database_pages_allow_attaching(void);

#endif
