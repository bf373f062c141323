/*
 * Inflates and deflates whole Strings with libdeflate if it was found at build time, else with zlib. Results, errors
 * and messages are those of zlib; compressed bytes may differ unless Spate::Zlib.identical is set.
 */
#ifndef SPATE_ZLIB_ONESHOT_H
#define SPATE_ZLIB_ONESHOT_H

#include "oneshot/bytes.h"
#include "stream/zstream.h"

/*
 * These return a new String. They need the GVL and release it depending on size. They raise zlib's errors and
 * OutputLimitError. `*consumed`, unless NULL, is set to the bytes of input consumed. `max_output` is in bytes.
 */
VALUE spate_oneshot_inflate(spate_container container, VALUE string, uint64_t max_output, size_t *consumed);
VALUE spate_oneshot_deflate(spate_container container, VALUE string, int level); /* uses Spate::Zlib.identical */
VALUE spate_oneshot_deflate_as(spate_container container, VALUE string, int level, bool identical);

/* Spate::Zlib.identical */
bool spate_zlib_identical(void);
void spate_zlib_set_identical(bool value);

#endif
