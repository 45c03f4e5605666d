#include <stdint.h>

// The data of ICU, the library of languages in Foundation: an empty table of contents, like that of ICU's own library
// "stubdata". A static program that defines it is linked without the 34 MB of data in lib_FoundationICU.a.
//
// Formats for languages, calendars, time zones and host names outside ASCII then fail at run time: ICUDataTests lists the parts
// of Foundation that must not be used. The number in the name is ICU's version in the toolchain. With another version the
// program works, and has the data of Foundation.
struct ICUData {
  uint16_t header_size;
  uint8_t magic[2];
  uint16_t info_size;
  uint16_t reserved;
  uint8_t is_big_endian;
  uint8_t charset_family;
  uint8_t size_of_uchar;
  uint8_t reserved_byte;
  uint8_t format[4];
  uint8_t format_version[4];
  uint8_t data_version[4];
  uint8_t padding[8];
  uint32_t count;
  uint32_t end;
};

_Alignas(16) const struct ICUData icudt76_dat = {
    .header_size = 32,
    .magic = {0xDA, 0x27},
    .info_size = 20,
    .is_big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__,
    .size_of_uchar = 2,
    .format = {'T', 'o', 'C', 'P'},
    .format_version = {1},
};
