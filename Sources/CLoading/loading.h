#ifndef CLOADING_LOADING_H
#define CLOADING_LOADING_H

#include <dlfcn.h>
#include <stddef.h>

// Declares NAME_functions, a table with the addresses of a library's functions, and NAME_load(), which fills it. The library is
// not linked: only a program that needs it waits for it. NAME_load() returns NULL if the library or one of the functions is
// missing. It must be called once.
//
// The header of the library declares the types. list(f) applies the macro f to the name of each function.
#define LOADED_LIBRARY(name, file, list)                                   \
  struct name##_functions {                                                \
    list(LOADED_MEMBER)                                                    \
  };                                                                       \
  static inline const struct name##_functions *_Nullable name##_load(void) { \
    static struct name##_functions table;                                  \
    void *library = dlopen(file, RTLD_LAZY | RTLD_LOCAL);                  \
    if (library == NULL) return NULL;                                      \
    list(LOADED_ADDRESS)                                                   \
    return &table;                                                         \
  }

#define LOADED_MEMBER(function) __typeof__(&function) _Nonnull function;

#define LOADED_ADDRESS(function)                                     \
  table.function = (__typeof__(&function))dlsym(library, #function); \
  if (table.function == NULL) return NULL;

#endif
