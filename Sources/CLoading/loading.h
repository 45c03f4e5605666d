#ifndef CLOADING_LOADING_H
#define CLOADING_LOADING_H

#include <dlfcn.h>
#include <stddef.h>

// Declares NAME_functions, a table with the addresses of a library's functions, and NAME_load(), which fills
// it. The library is not linked, so that only programs that use it load it. NAME_load() returns NULL if the
// library or a function is missing. Call it once. list(f) applies the macro f to each function name; the
// library's header declares the types.
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
