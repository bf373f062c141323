# frozen_string_literal: true

module Spate
  module Util
    # The number of processors that this process may use, according to its CPU affinity and the quota of its cgroup. A
    # container with two of 64 processors must not start 64 compilers.
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

      # The CPU quotas of the process's cgroup and its parents, as numbers of processors, rounded up.
      def quotas(groups, mount)
        lines = File.readlines(groups, chomp: true).map { |line| line.split(":", 3) }
        lines.flat_map do |_, controllers, path|
          parents = [path]
          parents << File.dirname(parents.last) until %w[/ .].include?(parents.last)
          if controllers.empty?
            parents.filter_map { |parent| granted("#{mount}/#{parent}/cpu.max") }
          elsif controllers.split(",").include?("cpu")
            parents.map { |parent| "#{mount}/cpu/#{parent}/cpu.cfs_" }
                   .filter_map { |start| granted("#{start}quota_us", "#{start}period_us") }
          end.to_a
        end
      rescue SystemCallError
        []
      end

      # Version 2 of cgroups has one file with "200000 100000" or "max 100000". Version 1 has two files, and -1 means no
      # limit.
      def granted(*files)
        quota, period = files.flat_map { |file| File.read(file).split }.map(&:to_f)
        (quota / period).ceil if quota.positive? && period&.positive?
      rescue SystemCallError
        nil
      end
      private_class_method :quotas, :granted
    end
  end
end
