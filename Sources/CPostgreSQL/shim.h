#ifndef CPOSTGRESQL_SHIM_H
#define CPOSTGRESQL_SHIM_H

#include <libpq-fe.h>

// Swift sees neither enumerations of an unknown signedness nor characters as constants. No logic lives here.

static inline int cpq_status_is_ok(const PGconn *_Nonnull connection) {
  return PQstatus(connection) == CONNECTION_OK;
}

static const int cpq_sqlstate = PG_DIAG_SQLSTATE;
static const int cpq_message = PG_DIAG_MESSAGE_PRIMARY;
static const int cpq_detail = PG_DIAG_MESSAGE_DETAIL;
static const int cpq_hint = PG_DIAG_MESSAGE_HINT;
static const int cpq_constraint = PG_DIAG_CONSTRAINT_NAME;
static const int cpq_position = PG_DIAG_STATEMENT_POSITION;
static const int cpq_table = PG_DIAG_TABLE_NAME;

#endif
