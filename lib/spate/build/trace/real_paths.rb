# frozen_string_literal: true

module Spate
  module Build
    module Trace
      # Resolves paths like the kernel: follows each link, and applies ".." to the link's target.
      class RealPaths
        # File systems that show the kernel's state.
        STATE = / - (?:proc|sysfs|cgroup2?|devpts) /

        def initialize
          @led = { "/" => ["/", []] }
          @devices = mounts.grep(STATE).map { |line| line.split[2] }
          @state = {}
        end

        # [path without links and "..", [followed links, in order]]. A missing path resolves to itself.
        def of(path)
          unknown = []
          until @led.key?(path)
            unknown << path
            path = File.dirname(path)
          end
          # Iterates from the top, because recursion could overflow the stack for a deep path.
          unknown.reverse_each { |at| @led.key?(at) || learn(at) }
          @led[unknown.first || path]
        end

        # Whether the path is kernel state instead of a file: a device, or a path on such a file system. path: as
        # returned by `of`.
        def volatile?(path)
          @state.fetch(path) do
            stat = File.lstat(path)
            @state[path] = stat.chardev? || stat.blockdev? || @devices.include?("#{stat.dev_major}:#{stat.dev_minor}")
          rescue SystemCallError
            @state[path] = path != "/" && volatile?(File.dirname(path))
          end
        end

        private

        def learn(path)
          @led[path] = [path, []] # for circular links
          @led[path] = step(*of(File.dirname(path)), File.basename(path))
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
