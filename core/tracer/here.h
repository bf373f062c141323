/*
 * Whether this platform is supported: Linux on the processors in calls.c. On other platforms, everything compiles and
 * reports that there is no tracer.
 */
#ifndef SPATE_TRACER_HERE_H
#define SPATE_TRACER_HERE_H

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__)) && !defined(__ILP32__)
#define SPATE_TRACER_HERE 1
#endif

#endif
