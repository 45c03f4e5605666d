#ifndef CCURL_SHIM_H
#define CCURL_SHIM_H

#include <curl/curl.h>

// Typed forms of libcurl's variadic functions: Swift can't call those, and a wrong type there is
// undefined behaviour. No logic lives here.

typedef size_t (*ccurl_data_callback)(char *_Nullable bytes, size_t size, size_t count, void *_Nullable context);

typedef curl_socket_t (*ccurl_socket_callback)(void *_Nullable context, curlsocktype purpose,
                                               struct curl_sockaddr *_Nullable address);

typedef int (*ccurl_request_callback)(void *_Nullable context, char *_Nullable remote_address,
                                      char *_Nullable own_address, int remote_port, int own_port);

static inline CURLcode ccurl_set_request_callback(CURL *_Nonnull easy, CURLoption option,
                                                  ccurl_request_callback _Nullable value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_socket_callback(CURL *_Nonnull easy, CURLoption option,
                                                 ccurl_socket_callback _Nullable value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_long(CURL *_Nonnull easy, CURLoption option, long value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_offset(CURL *_Nonnull easy, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_string(CURL *_Nonnull easy, CURLoption option, const char *_Nullable value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_pointer(CURL *_Nonnull easy, CURLoption option, void *_Nullable value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_list(CURL *_Nonnull easy, CURLoption option, struct curl_slist *_Nullable value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_data_callback(CURL *_Nonnull easy, CURLoption option,
                                               ccurl_data_callback _Nullable value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_get_long(CURL *_Nonnull easy, CURLINFO info, long *_Nonnull value) {
  return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode ccurl_get_offset(CURL *_Nonnull easy, CURLINFO info, curl_off_t *_Nonnull value) {
  return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode ccurl_get_string(CURL *_Nonnull easy, CURLINFO info,
                                        const char *_Nullable *_Nonnull value) {
  return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode ccurl_get_pointer(CURL *_Nonnull easy, CURLINFO info, void *_Nullable *_Nonnull value) {
  return curl_easy_getinfo(easy, info, value);
}

static inline CURLMcode ccurl_multi_set_long(CURLM *_Nonnull multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}

static inline const char *_Nullable ccurl_certificate_file(void) {
  return curl_version_info(CURLVERSION_NOW)->cainfo;
}

static inline const curl_version_info_data *_Nullable ccurl_version(void) {
  return curl_version_info(CURLVERSION_NOW);
}

#endif
