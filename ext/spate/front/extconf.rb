# frozen_string_literal: true

# Builds a program instead of a library. On systems without the required functions, the launcher in Ruby is used
# instead.
require_relative "../../../core/shared/extension"
require_relative "../../../lib/spate/version"

CoreExtension.compile(own: %w[*.c],
                      core: %w[front/{answer,arguments,front,hand_over,in_place,launcher,text} front/exec/* front/warm/*
                               base/{descriptor,trust} digest/{crc32c,siphash} shared/status])
$defs << "-DSPATE_VERSION='\"#{Spate::VERSION}\"'"
CoreExtension.program("spate/native/front", try_link(<<~C))
  #include <sys/auxv.h>
  #ifndef __linux__
  #error not Linux
  #endif
  int main(void) { return getauxval(AT_SECURE) != 0; }
C
