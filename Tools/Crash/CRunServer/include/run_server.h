#ifndef RUN_SERVER_H
#define RUN_SERVER_H

#include <stdint.h>

// A process that has loaded the program, and whose copies are its runs: loading takes most of the time of a short command.
//
// It reads requests from standard input and replies on standard output. A request is a `struct run_request`, followed by
// texts that each end with a zero byte: the file for the run's status, the files that become standard input, output and
// error, the arguments, and the variables of the environment. The reply is the process id of the run, as int32_t; -1 if it
// cannot be started. At the end of the run its status, as waitpid(2) returns it, is written to the file as int32_t.

struct run_request {
  // The number of bytes of all texts.
  uint32_t length;
  // The number of arguments.
  uint32_t arguments;
  // The number of seconds after which SIGALRM ends the run (alarm(2)); 0 for no limit.
  uint32_t limit;
};

// The arguments of a run, without the program's name.
struct run_arguments {
  uint32_t count;
  char **texts;
};

// Serves requests until standard input ends, and then ends the process. Returns in each run, with its environment and
// standard files.
//
// To be called before the process has any other thread.
struct run_arguments serve_runs(void);

#endif
