#define _GNU_SOURCE
#include "run_server.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// Reads exactly `length` bytes; returns whether they came.
static int read_whole(void *bytes, size_t length) {
  char *next = bytes;
  while (length > 0) {
    ssize_t count = read(0, next, length);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return 0;
    next += count;
    length -= (size_t)count;
  }
  return 1;
}

// Opens a file as a standard descriptor.
static void open_as(int descriptor, const char *path) {
  int file = open(path, descriptor == 0 ? O_RDONLY : O_WRONLY | O_NOCTTY);
  if (file < 0) _exit(126);
  if (file == descriptor) return;
  dup2(file, descriptor);
  close(file);
}

// Makes this process the requested run.
static struct run_arguments become_run(const struct run_request *request, char *texts) {
  char *next = texts + strlen(texts) + 1;
  for (int descriptor = 0; descriptor < 3; descriptor++) {
    open_as(descriptor, next);
    next += strlen(next) + 1;
  }
  struct run_arguments arguments = {request->arguments, calloc(request->arguments + 1, sizeof(char *))};
  for (uint32_t index = 0; index < request->arguments; index++) {
    arguments.texts[index] = next;
    next += strlen(next) + 1;
  }
  clearenv();
  for (; next < texts + request->length; next += strlen(next) + 1) putenv(next);
  alarm(request->limit);
  return arguments;
}

// Waits for a run, and writes its status to a file.
static _Noreturn void await_run(pid_t run, const char *path) {
  int32_t status = 0;
  // The requests and replies belong to the server alone.
  close(0);
  close(1);
  while (waitpid(run, &status, 0) < 0) {
    if (errno != EINTR) _exit(1);
  }
  // Nobody reads the status if the tests were killed.
  alarm(60);
  int file = open(path, O_WRONLY);
  _exit(write(file, &status, sizeof status) == sizeof status ? 0 : 1);
}

struct run_arguments serve_runs(void) {
  struct run_request request;
  // The parents of the runs are not waited for.
  signal(SIGCHLD, SIG_IGN);
  while (read_whole(&request, sizeof request)) {
    char *texts = malloc(request.length);
    if (texts == NULL || !read_whole(texts, request.length)) _exit(1);
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) _exit(1);
    if (fork() == 0) {
      signal(SIGCHLD, SIG_DFL);
      int32_t run = fork();
      if (run == 0) {
        close(ends[0]);
        close(ends[1]);
        return become_run(&request, texts);
      }
      if (write(ends[1], &run, sizeof run) != sizeof run || run < 0) _exit(1);
      close(ends[0]);
      close(ends[1]);
      await_run(run, texts);
    }
    close(ends[1]);
    int32_t run = -1;
    if (read(ends[0], &run, sizeof run) != sizeof run) run = -1;
    if (write(1, &run, sizeof run) != sizeof run) _exit(1);
    close(ends[0]);
    free(texts);
  }
  _exit(0);
}
