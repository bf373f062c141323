/*
 * For the core's tests with musl (make test-musl). Debian's libz.a and libcrypto.a were built for glibc, and this file
 * defines the functions they need from it. Only libcrypto's asynchronous engines use coroutines, and no test starts
 * one.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *__memcpy_chk(void *to, const void *from, size_t length, size_t room) {
    return length > room ? abort(), to : memcpy(to, from, length);
}

void *__memset_chk(void *to, int byte, size_t length, size_t room) {
    return length > room ? abort(), to : memset(to, byte, length);
}

long __fdelt_chk(long descriptor) {
    return descriptor / (8 * (long)sizeof(long));
}

int __vfprintf_chk(FILE *to, int flag, const char *format, va_list arguments) {
    (void)flag;
    return vfprintf(to, format, arguments);
}

int __fprintf_chk(FILE *to, int flag, const char *format, ...) {
    va_list arguments;
    (void)flag;
    va_start(arguments, format);
    int written = vfprintf(to, format, arguments);
    va_end(arguments);
    return written;
}

int getcontext(void *context) {
    (void)context;
    return -1;
}

int setcontext(const void *context) {
    (void)context;
    return -1;
}

void makecontext(void) {
    abort();
}
