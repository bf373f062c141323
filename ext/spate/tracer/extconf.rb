# frozen_string_literal: true

require_relative "../../../core/shared/extension"

CoreExtension.compile(own: %w[*.c], core: %w[shared/status tracer/{calls,outcome,record,table} tracer/supervisor/*])
append_cflags("-O2")
have_library("pthread")

create_makefile("spate/native/tracer")
