# frozen_string_literal: true

# The script of a build process: RubyGems builds the extensions of one gem, as `gem install` does. ARGV: number of the
# lifeline's file descriptor, path of the tracer's binding ("" for no tracing), path of the gemspec, folder of the gem,
# output folder, arguments of the build.
lifeline, tracer, gemspec, gem_dir, extension_dir, *arguments = ARGV.map(&:dup)
ARGV.clear

# The parent process has the other end of this pipe. If the parent ends for any reason, this process and its children
# are killed.
lifeline = IO.for_fd(Integer(lifeline, 10))
lifeline.close_on_exec = true
Thread.new do
  lifeline.read
  Process.kill(:KILL, -Process.getpgrp)
end

require "rubygems"
spec = Gem::Specification.load(gemspec) or abort "#{gemspec} is not a valid gem specification"
spec.loaded_from = File.join(Gem.dir, "specifications", "#{spec.full_name}.gemspec")
spec.full_gem_path = gem_dir
spec.extension_dir = extension_dir

Gem.configuration # reads ~/.gemrc before tracing, because it does not affect builds

# Tracing starts here. Earlier file accesses are by Ruby itself and by the gemspec, which lists files.
unless tracer.empty?
  require tracer
  Spate::Native::Tracer.enter(Integer(ENV.delete("SPATE_TRACER_SOCKET"), 10))
end
require "fileutils"
require "rubygems/ext"
require "rubygems/command"

Gem::Command.build_args = arguments
FileUtils.mkdir_p(extension_dir)
begin
  Gem::Ext::Builder.new(spec, arguments).build_extensions
rescue Gem::InstallError => e
  abort e.message
end
