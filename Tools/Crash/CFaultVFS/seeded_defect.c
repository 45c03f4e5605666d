#include "fault_vfs.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static _Thread_local bool is_splitting;

// Called at the end of each statement.
static int split(unsigned type, void *context, void *statement, void *time) {
  (void)type, (void)context, (void)time;
  const char *sql = sqlite3_sql(statement);
  if (is_splitting || sql == NULL || strncmp(sql, "INSERT INTO \"article\"", 21) != 0) return 0;
  sqlite3 *db = sqlite3_db_handle(statement);
  if (sqlite3_get_autocommit(db)) return 0;
  is_splitting = true;
  sqlite3_exec(db, "COMMIT; BEGIN IMMEDIATE", NULL, NULL, NULL);
  is_splitting = false;
  return 0;
}

static int watch(sqlite3 *db, char **error, const void *routines) {
  (void)error, (void)routines;
  return sqlite3_trace_v2(db, SQLITE_TRACE_PROFILE, split, NULL);
}

int seed_split_commits(void) { return sqlite3_auto_extension((void (*)(void))watch); }
