// A library for LD_PRELOAD that appends each SQL statement that a program executes in the file NEWSIMPORT_STORE to the file
// STATEMENT_LOG. A zero ends each.
#include <fcntl.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int file = -1;

static int append(unsigned type, void *context, void *statement, void *sql) {
  (void)type, (void)context, (void)statement;
  return write(file, sql, strlen(sql) + 1) < 0;
}

static int watch(sqlite3 *db, char **error, const void *routines) {
  (void)error, (void)routines;
  const char *path = sqlite3_db_filename(db, "main"), *store = getenv("NEWSIMPORT_STORE");
  if (!path || !store || strcmp(path, store) != 0) return SQLITE_OK;
  return sqlite3_trace_v2(db, SQLITE_TRACE_STMT, append, NULL);
}

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("STATEMENT_LOG");
  if (path) file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
  if (file >= 0) sqlite3_auto_extension((void (*)(void))watch);
}
