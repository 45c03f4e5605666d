#ifndef CPOSTGRESQL_SHIM_H
#define CPOSTGRESQL_SHIM_H

#include <postgresql/libpq-fe.h>

#include "../CLoading/loading.h"

#define LIBPQ_FUNCTIONS(f) \
  f(PQbackendPID) f(PQcancel) f(PQclear) f(PQcmdTuples) f(PQconnectPoll) f(PQconnectStartParams) f(PQconnectdbParams) \
  f(PQconnectionNeedsPassword) f(PQconninfoFree) f(PQconninfoParse) f(PQconsumeInput) f(PQdescribePrepared) \
  f(PQenterPipelineMode) f(PQerrorMessage) f(PQexec) f(PQexecParams) f(PQexecPrepared) f(PQexitPipelineMode) f(PQfinish) \
  f(PQflush) f(PQfname) f(PQfreeCancel) f(PQfreemem) f(PQftype) f(PQgetCancel) f(PQgetResult) f(PQgetisnull) \
  f(PQgetlength) f(PQgetvalue) f(PQnfields) f(PQnotifies) f(PQnparams) f(PQntuples) f(PQparameterStatus) f(PQpingParams) \
  f(PQpipelineSync) f(PQprepare) f(PQresultErrorField) f(PQresultErrorMessage) f(PQresultStatus) f(PQsendPrepare) \
  f(PQsendQueryParams) f(PQsendQueryPrepared) f(PQserverVersion) f(PQsetErrorVerbosity) f(PQsetNoticeReceiver) \
  f(PQsetSingleRowMode) f(PQsetnonblocking) f(PQsocket) f(PQstatus) f(PQtransactionStatus)

LOADED_LIBRARY(libpq, "libpq.so.5", LIBPQ_FUNCTIONS)

// Swift does not see characters as constants.
static const int cpq_sqlstate = PG_DIAG_SQLSTATE;
static const int cpq_message = PG_DIAG_MESSAGE_PRIMARY;
static const int cpq_detail = PG_DIAG_MESSAGE_DETAIL;
static const int cpq_hint = PG_DIAG_MESSAGE_HINT;
static const int cpq_constraint = PG_DIAG_CONSTRAINT_NAME;
static const int cpq_position = PG_DIAG_STATEMENT_POSITION;

#endif
