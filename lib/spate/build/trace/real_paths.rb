# frozen_string_literal: true

module Spate
  module Build
    module Trace
      # Resolves paths as the kernel does: follows each link, and applies ".." to the link's target.
      class RealPaths
        # File systems that expose the kernel's state, in the format of /proc/self/mountinfo.
        STATE = / - (?:proc|sysfs|cgroup2?|devpts) /

        def initialize
          @resolved = { "/" => ["/", []] }
          @devices = mounts.grep(STATE).map { |line| line.split[2] }
          @state = {}
        end

        # Returns [path without links and "..", [followed links, in order]]. A missing path resolves to itself.
        def of(path)
          unknown = []
          until @resolved.key?(path)
            unknown << path
            path = File.dirname(path)
          end
          # Iterates from the root, because recursion could overflow the stack for a deep path.
          unknown.reverse_each { |at| @resolved.key?(at) || resolve(at) }
          @resolved[unknown.first || path]
        end

        # Whether the path is a device or on a file system that exposes the kernel's state. path: as returned by `of`.
        def volatile?(path)
          @state.fetch(path) do
            stat = File.lstat(path)
            @state[path] = stat.chardev? || stat.blockdev? || @devices.include?("#{stat.dev_major}:#{stat.dev_minor}")
          rescue SystemCallError
            @state[path] = path != "/" && volatile?(File.dirname(path))
          end
        end

        private

        def resolve(path)
          @resolved[path] = [path, []] # for circular links
          @resolved[path] = step(*of(File.dirname(path)), File.basename(path))
        end

        def step(folder, links, name)
          return [name == "." ? folder : File.dirname(folder), links] if %w[. ..].include?(name)

          path = File.join(folder, name)
          return [path, links] if volatile?(folder) || !File.symlink?(path)

          target, more = of(File.readlink(path).b.then { |to| to.start_with?("/") ? to : "#{folder}/#{to}" })
          [target, [*links, path, *more].uniq] # each link once; otherwise the list would double at each step
        end

        def mounts
          File.readlines("/proc/self/mountinfo")
        rescue SystemCallError
          []
        end
      end
    end
  end
end
