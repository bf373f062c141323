# frozen_string_literal: true

# Run by Spate::CompileCache::Builder::BundleContents in a bundle's folder. Writes its result to file descriptor 3 in
# Marshal format.
report = IO.for_fd(3)
before = $LOAD_PATH.dup
require "bundler"
Bundler.ui = Bundler::UI::Silent.new
# Prevents Bundler from writing the lockfile.
Bundler::Definition.prepend(Module.new { def lock(*, **) = nil })
Bundler.setup
gems = Bundler.definition.specs.reject { |spec| spec.name == "bundler" }
              .map { |spec| [spec.full_gem_path, spec.full_require_paths] }
report.binmode
report.write(Marshal.dump([$LOAD_PATH - before, gems]))
