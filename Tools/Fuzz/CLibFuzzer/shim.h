#include <stddef.h>
#include <stdint.h>

/// What libFuzzer calls with each input; 0 keeps the input when it reached new code, -1 never keeps it.
typedef int (*fuzzer_callback)(const uint8_t *_Nullable data, size_t size);

/// Runs libFuzzer with the arguments of its command line. Part of what `-sanitize=fuzzer` links.
int LLVMFuzzerRunDriver(int *_Nonnull argc, char *_Nullable *_Nonnull *_Nonnull argv, fuzzer_callback _Nonnull callback);
