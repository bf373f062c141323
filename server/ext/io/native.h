#ifndef SPATE_SERVER_IO_NATIVE_H
#define SPATE_SERVER_IO_NATIVE_H

#include <ruby.h>
#include <spate/bytes.h>

#ifndef RBOOL /* Ruby 3.2 */
#define RBOOL(condition) ((condition) ? Qtrue : Qfalse)
#endif

extern const spate_bytes_abi *spate_bytes;

VALUE spate_init_write_buffer(VALUE native); /* returns the class */
void spate_init_write_buffer_files(VALUE klass);
void spate_init_write_buffer_flush(VALUE klass);
void spate_init_socket(VALUE native);
void spate_init_poller(VALUE native);

#endif
