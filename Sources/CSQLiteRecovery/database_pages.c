#include "database_pages.h"

#include <string.h>

enum { COLUMN_NUMBER, COLUMN_DATA, COLUMN_SCHEMA };
// The constraints that a plan uses, as bits in its number.
enum { HAS_NUMBER = 1 };

struct pages {
  sqlite3_vtab base;
  sqlite3 *connection;
};

struct cursor {
  sqlite3_vtab_cursor base;
  sqlite3_file *file;
  int page_bytes;
  sqlite3_int64 page;
  // The last page to return; 0 for none.
  sqlite3_int64 last;
};

static int connect(sqlite3 *connection, void *context, int count, const char *const *arguments, sqlite3_vtab **result,
                   char **error) {
  (void)context, (void)count, (void)arguments, (void)error;
  int code = sqlite3_declare_vtab(connection, "CREATE TABLE x(pgno INTEGER PRIMARY KEY, data BLOB, schema HIDDEN)");
  if (code != SQLITE_OK) return code;
  struct pages *pages = sqlite3_malloc(sizeof *pages);
  if (pages == NULL) return SQLITE_NOMEM;
  memset(pages, 0, sizeof *pages);
  pages->connection = connection;
  *result = &pages->base;
  return SQLITE_OK;
}

static int disconnect(sqlite3_vtab *table) {
  sqlite3_free(table);
  return SQLITE_OK;
}

static int plan(sqlite3_vtab *table, sqlite3_index_info *info) {
  (void)table;
  int arguments = 0;
  info->estimatedCost = 1e6;
  for (int index = 0; index < info->nConstraint; index++) {
    if (!info->aConstraint[index].usable || info->aConstraint[index].op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
    if (info->aConstraint[index].iColumn == COLUMN_NUMBER && !(info->idxNum & HAS_NUMBER)) {
      // The number must be the first argument.
      for (int other = 0; other < index; other++) {
        if (info->aConstraintUsage[other].argvIndex > 0) info->aConstraintUsage[other].argvIndex++;
      }
      info->aConstraintUsage[index].argvIndex = 1;
      arguments++;
      info->idxNum |= HAS_NUMBER;
      info->estimatedCost = 1;
    } else if (info->aConstraint[index].iColumn == COLUMN_SCHEMA) {
      info->aConstraintUsage[index].argvIndex = ++arguments;
      info->aConstraintUsage[index].omit = 1;
    }
  }
  return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *table, sqlite3_vtab_cursor **result) {
  (void)table;
  struct cursor *cursor = sqlite3_malloc(sizeof *cursor);
  if (cursor == NULL) return SQLITE_NOMEM;
  memset(cursor, 0, sizeof *cursor);
  *result = &cursor->base;
  return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *cursor) {
  sqlite3_free(cursor);
  return SQLITE_OK;
}

static int read_page_bytes(sqlite3 *connection, int *bytes) {
  sqlite3_stmt *statement = NULL;
  int code = sqlite3_prepare_v2(connection, "PRAGMA main.page_size", -1, &statement, NULL);
  if (code != SQLITE_OK) return code;
  if (sqlite3_step(statement) == SQLITE_ROW) *bytes = sqlite3_column_int(statement, 0);
  code = sqlite3_finalize(statement);
  return code != SQLITE_OK || *bytes > 0 ? code : SQLITE_CORRUPT;
}

static int filter(sqlite3_vtab_cursor *base, int plan, const char *name, int count, sqlite3_value **arguments) {
  (void)name, (void)count;
  struct cursor *cursor = (struct cursor *)base;
  sqlite3 *connection = ((struct pages *)base->pVtab)->connection;
  sqlite3_int64 bytes = 0;
  int code = read_page_bytes(connection, &cursor->page_bytes);
  if (code == SQLITE_OK) {
    code = sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &cursor->file);
  }
  if (code == SQLITE_OK) code = cursor->file->pMethods->xFileSize(cursor->file, &bytes);
  if (code != SQLITE_OK) return code;
  cursor->page = 1;
  // Missing bytes would be read as zeros, and the rows there as empty ones.
  cursor->last = bytes / cursor->page_bytes;
  if (plan & HAS_NUMBER) {
    sqlite3_int64 wanted = sqlite3_value_int64(arguments[0]);
    if (wanted < 1 || wanted > cursor->last) {
      cursor->last = 0;
    } else {
      cursor->page = cursor->last = wanted;
    }
  }
  return SQLITE_OK;
}

static int next(sqlite3_vtab_cursor *base) {
  ((struct cursor *)base)->page++;
  return SQLITE_OK;
}

static int is_at_end(sqlite3_vtab_cursor *base) {
  struct cursor *cursor = (struct cursor *)base;
  return cursor->page > cursor->last;
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column) {
  struct cursor *cursor = (struct cursor *)base;
  if (column == COLUMN_NUMBER) sqlite3_result_int64(context, cursor->page);
  if (column == COLUMN_SCHEMA) sqlite3_result_text(context, "main", -1, SQLITE_STATIC);
  if (column != COLUMN_DATA) return SQLITE_OK;
  unsigned char *data = sqlite3_malloc(cursor->page_bytes);
  if (data == NULL) return SQLITE_NOMEM;
  sqlite3_int64 offset = (cursor->page - 1) * cursor->page_bytes;
  int code = cursor->file->pMethods->xRead(cursor->file, data, cursor->page_bytes, offset);
  if (code != SQLITE_OK) {
    sqlite3_free(data);
    return code;
  }
  sqlite3_result_blob(context, data, cursor->page_bytes, sqlite3_free);
  return SQLITE_OK;
}

static int row_id(sqlite3_vtab_cursor *base, sqlite3_int64 *number) {
  *number = ((struct cursor *)base)->page;
  return SQLITE_OK;
}

static const sqlite3_module module = {
    .xConnect = connect,
    .xBestIndex = plan,
    .xDisconnect = disconnect,
    .xOpen = open_cursor,
    .xClose = close_cursor,
    .xFilter = filter,
    .xNext = next,
    .xEof = is_at_end,
    .xColumn = column,
    .xRowid = row_id,
};

int database_pages_add(sqlite3 *connection) {
  return sqlite3_create_module(connection, "sqlite_dbpage", &module, NULL);
}

static int limit(sqlite3 *connection, char **error, const void *routines) {
  (void)error, (void)routines;
  sqlite3_limit(connection, SQLITE_LIMIT_ATTACHED, 1);
  return SQLITE_OK;
}

int database_pages_limit_attaching(void) { return sqlite3_auto_extension((void (*)(void))limit); }

void database_pages_allow_attaching(void) { sqlite3_cancel_auto_extension((void (*)(void))limit); }
