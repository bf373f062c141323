# frozen_string_literal: true

# Loaded into Spate through RUBYOPT. Disables tracing, as in a container that forbids it. Not loaded into child
# processes.
ENV.delete("RUBYOPT")
$LOAD_PATH.unshift File.expand_path("../../lib", __dir__)
require "spate/tracer"

Spate::Tracer.define_singleton_method(:available?) { "switched off" }
