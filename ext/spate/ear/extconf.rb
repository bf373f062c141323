# frozen_string_literal: true

require_relative "../../../core/shared/extension"

CoreExtension.compile(own: %w[*.c], core: %w[shared/status ear/{calls,outcome,record,table} ear/supervisor/*])
append_cflags("-O2")
have_library("pthread")

create_makefile("spate/native/ear")
