# frozen_string_literal: true

module Spate
  module Build
    # How many processors this process may use: affinity, and the share that its cgroup grants (a container with two
    # of 64 processors must not start 64 compilers).
    module Processors
      MOUNT = "/sys/fs/cgroup"

      module_function

      def count(nprocessors: nil, groups: "/proc/self/cgroup", mount: MOUNT)
        unless nprocessors
          require "etc"
          nprocessors = Etc.nprocessors
        end
        [nprocessors, *quotas(groups, mount)].min.clamp(1, nprocessors)
      end

      # Whole processors granted by each group from the own one up to the root, rounded up.
      def quotas(groups, mount)
        lines = File.readlines(groups, chomp: true).map { |line| line.split(":", 3) }
        lines.flat_map do |_, controllers, path|
          if controllers.empty?
            parents(path).filter_map { |parent| unified(File.join(mount, parent, "cpu.max")) }
          elsif controllers.split(",").include?("cpu")
            parents(path).filter_map { |parent| legacy(File.join(mount, "cpu", parent)) }
          else
            []
          end
        end
      rescue SystemCallError
        []
      end

      def parents(path)
        path = path.to_s
        found = [path]
        found << (path = File.dirname(path)) until path == "/" || path == "."
        found
      end

      # cgroup v2: "200000 100000" or "max 100000"
      def unified(file)
        quota, period = File.read(file).split
        processors(quota, period) unless quota == "max"
      rescue SystemCallError
        nil
      end

      # cgroup v1: -1 means no limit
      def legacy(folder)
        quota = File.read(File.join(folder, "cpu.cfs_quota_us")).to_i
        processors(quota, File.read(File.join(folder, "cpu.cfs_period_us"))) if quota.positive?
      rescue SystemCallError
        nil
      end

      def processors(quota, period)
        period = period.to_f
        period.positive? ? (quota.to_f / period).ceil : nil
      end
      private_class_method :quotas, :parents, :unified, :legacy, :processors
    end
  end
end
