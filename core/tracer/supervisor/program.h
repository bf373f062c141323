/* Additional files that executing a file opens: the interpreter on its first line, the loader in its header. */
#ifndef SPATE_TRACER_PROGRAM_H
#define SPATE_TRACER_PROGRAM_H

#include "tracer/outcome.h"

/* folder: the base for an interpreter with a relative name. */
void spate_tracer_program(const spate_tracer_path *path, const char *folder);

#endif
