// The pages of a SQLite file as rows, for SQLite's recovery extension.
//
// sqlite3recover.c, sqlite3recover.h and dbdata.c are unchanged files of SQLite 3.40.1 (ext/recover), which is in the public
// domain (sqlite.org/copyright.html). The shell's command .recover is made of them. They need the virtual table
// sqlite_dbpage, which is missing in the library and therefore in the shell of Debian 12 and Ubuntu 24.04: they are compiled
// without SQLITE_ENABLE_DBPAGE_VTAB.
#ifndef DATABASE_PAGES_H
#define DATABASE_PAGES_H

#include <sqlite3.h>

// Adds a read-only table sqlite_dbpage(schema) with the whole pages of the connection's main file, without its log. Its
// columns are pgno and data (sqlite.org/dbpage.html).
int database_pages_add(sqlite3 *connection);

// Keeps connections that are opened from now on from attaching more than one file, until database_pages_allow_attaching. The
// recovery runs the statements of the damaged file's views and triggers, and attaches one file itself.
int database_pages_limit_attaching(void);
void database_pages_allow_attaching(void);

#endif
