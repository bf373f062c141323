# frozen_string_literal: true

module Spate
  module Build
    # The files that a build made or changed, and what they say of where they work.
    class Made
      # Left behind by the build and read by no running program: logs, makefiles, objects. They name the folder they
      # were made in; so do those that Bundler copies from one bundle to another.
      LEFTOVER = %r{(?:\.(?:o|a|la|lo|d|pc|log|time|mk)|/gem_make\.out|/Makefile)\z}
      # Bytes; a text that is larger is not read, so it may name anything.
      LARGEST = 16 << 20
      # Nobody hears a compiler that is told "native" ask the processor, but its command says so, or one that a probe
      # found. Those of Ruby's own configuration are in every key.
      PROCESSOR = /-m(?:arch|cpu|tune)=[\w.+-]+|target-cpu=[\w.+-]+/
      CONFIGURED = %w[CC CXX CFLAGS CXXFLAGS].freeze

      # paths: absolute, no folders. root: the bundle's folder. loaded: the gem's require paths.
      def initialize(paths, root, loaded)
        @paths = paths
        @root = root
        @loaded = loaded
        @binaries = paths.filter_map { |path| Elf.read(path)&.then { |elf| [path, elf] } if File.file?(path) }.to_h
      end

      # Whether a file works only where the bundle lies now.
      def names_root? = @paths.any? { |path| root_in?(path, @binaries[path]) }

      # Whether it is for one kind of processor. A log or makefile tells by which commands it was made; so do cargo's
      # own notes.
      def names_processor?
        texts = @paths.reject { |path| @binaries[path] || !File.file?(path) || File.symlink?(path) }
        known = CONFIGURED.flat_map { |name| RubyBuild.current[name].to_s.scan(PROCESSOR) }
        texts.reject { |path| Content.of(path, 1024).to_s.include?("\0") }.any? do |path|
          File.size(path) > LARGEST || (Content.of(path).to_s.scan(PROCESSOR) - known).any?
        end
      end

      # Names of libraries that the loader must find, and that are none of these files.
      def needed = @binaries.values.flat_map(&:needed).uniq - @paths.map { |path| File.basename(path) }

      private

      def root_in?(path, elf)
        return elf.mapped?(@root) if elf
        return File.readlink(path).start_with?(@root) if File.symlink?(path)
        return false if LEFTOVER.match?(path.b) # a name of whatever bytes

        # cargo's whole target folder lies in the extension's; of that, only Ruby files are loaded.
        read = @loaded.any? { |folder| path.start_with?("#{folder}/") } || path.end_with?(".rb")
        read && Content.of(path).to_s.include?(@root.b)
      end
    end
  end
end
