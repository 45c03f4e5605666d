#ifndef RUN_SERVER_H
#define RUN_SERVER_H

#include <stdint.h>

// A process that has loaded the program, and whose copies are its runs: loading takes most of the time of a short command.
//
// It reads requests from standard input and replies on standard output. A request is a `struct run_request`, followed by
// texts that each end with a zero byte: the files that become standard input, output and error, the arguments, and the
// variables of the environment. The reply is the process id of the run, as int32_t; -1 if it cannot be started.

struct run_request {
  // The number of bytes of all texts.
  uint32_t length;
  // The number of arguments.
  uint32_t arguments;
};

// The arguments of a run, without the program's name.
struct run_arguments {
  uint32_t count;
  char **texts;
};

// Serves requests until standard input ends, and then ends the process. Returns in each run, with its environment and
// standard files, and a limit of 60 seconds, after which SIGALRM ends it (alarm(2)).
//
// To be called before the process has any other thread. A run is a child of the nearest process that adopts orphans.
struct run_arguments serve_runs(void);

// Makes the runs of the servers that this process starts its own children (PR_SET_CHILD_SUBREAPER of prctl(2)).
//
// Returns 0, or the number of a system error.
int adopt_orphans(void);

#endif
