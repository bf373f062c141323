# frozen_string_literal: true

require_relative "lib/spate/version"

Gem::Specification.new do |spec|
  spec.name = "spate-bytes"
  spec.version = Spate::VERSION
  spec.authors = ["Spate authors"]
  spec.summary = "Buffers as in JavaScript, and a Zlib that never stops the other threads"
  spec.description = "ArrayBuffer, DataView, typed arrays, readers and writers of bits in C, with ECMAScript's " \
                     "semantics; and inflate and deflate with the interface of Ruby's Zlib, without Ruby's lock."
  spec.license = "MIT"
  spec.required_ruby_version = ">= 3.1"
  spec.metadata = { "rubygems_mfa_required" => "true", "documentation" => "bytes/README.md",
                    "changelog" => "bytes/CHANGELOG.md" }

  # Of the core what ext/zlib compiles.
  spec.files = Dir.chdir(__dir__) do
    Dir["bytes/{lib,sig}/**/*.{rb,rbs}", "bytes/ext/**/*.{rb,c,h}", "bytes/docs/**/*.md", "bytes/*.{md,txt}",
        "core/shared/*.{rb,c,h}"].select { |path| File.file?(path) }.sort
  end
  spec.extensions = Dir.chdir(__dir__) { Dir["bytes/ext/*/extconf.rb"].sort }
  spec.require_paths = ["bytes/lib"]
end
