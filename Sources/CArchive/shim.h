#ifndef CARCHIVE_SHIM_H
#define CARCHIVE_SHIM_H

#include <archive.h>
#include <archive_entry.h>
#include <locale.h>

#include "../CLoading/loading.h"

#define LIBARCHIVE_FUNCTIONS(f) \
  f(archive_entry_filetype) f(archive_entry_hardlink) f(archive_entry_is_data_encrypted) \
  f(archive_entry_pathname) f(archive_entry_sparse_count) f(archive_error_string) \
  f(archive_filter_bytes) f(archive_filter_count) f(archive_format) f(archive_read_data_block) \
  f(archive_read_free) f(archive_read_has_encrypted_entries) f(archive_read_header_position) \
  f(archive_read_new) f(archive_read_next_header) f(archive_read_open1) \
  f(archive_read_set_callback_data) f(archive_read_set_read_callback) \
  f(archive_read_set_seek_callback) f(archive_read_support_filter_bzip2) \
  f(archive_read_support_filter_xz) f(archive_read_support_filter_zstd) \
  f(archive_read_support_format_7zip) f(archive_read_support_format_cpio) \
  f(archive_read_support_format_empty) f(archive_read_support_format_raw) \
  f(archive_read_support_format_tar) f(archive_read_support_format_zip)

LOADED_LIBRARY(libarchive, "libarchive.so.13", LIBARCHIVE_FUNCTIONS)

// Swift sees no macros with casts or operations as constants.
static const unsigned carchive_regular_file = AE_IFREG;

// A locale in which libarchive can convert the names of members; NULL if the system has none.
static inline locale_t _Nullable carchive_unicode_locale(void) {
  return newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
}

#endif
