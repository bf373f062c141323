# frozen_string_literal: true

# The program of a build process: RubyGems builds the extensions of one gem, as `gem install` would.
# ARGV: number of the lifeline, the ear's binding ("": nobody listens), gemspec, gem's folder, folder for what is built,
# arguments of the build.
lifeline, ear, gemspec, gem_dir, extension_dir, *arguments = ARGV.map(&:dup)
ARGV.clear

# The parent holds the other end. When it dies, however it dies, this process and all it started end too.
lifeline = IO.for_fd(Integer(lifeline, 10))
lifeline.close_on_exec = true
Thread.new do
  lifeline.read
  Process.kill(:KILL, -Process.getpgrp)
end

require "rubygems"
spec = Gem::Specification.load(gemspec) or abort "#{gemspec} is no specification"
spec.loaded_from = File.join(Gem.dir, "specifications", "#{spec.full_name}.gemspec")
spec.full_gem_path = gem_dir
spec.extension_dir = extension_dir

Gem.configuration # ~/.gemrc: each user's own, and nothing of it is for builds

# From here on all is heard. What came before is Ruby itself, and what the gemspec asks for its lists of files.
unless ear.empty?
  require ear
  Spate::Native::Ear.enter(Integer(ENV.delete("SPATE_EAR_SOCKET"), 10))
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
