# frozen_string_literal: true

require_relative "../../inputs"

module Spate
  module Build
    module Trace
      # Whether stored builds can be used in this bundle, on this machine, in this environment: all that they depend on
      # is unchanged.
      class ReuseCheck
        # root: the bundle's folder. environment: Environment.
        def initialize(root, environment)
          @root = root
          @environment = environment
          @programs = Programs.new(environment.path, home)
          @memo = Inputs::Memo.new
        end

        attr_reader :programs

        # Folders that lie elsewhere for other users and projects: {name => folder}. Those above the bundle apply only
        # to bundles of the same depth: else a file could lie in a folder that was never looked at.
        def roots = @roots ||= { "bundle" => @root, "home" => home, **near }.compact

        # All folders above the bundle except "/", the nearest first.
        def above
          @above ||= @root.split("/")[1..-2].inject([]) { |folders, name| ["#{folders.first}/#{name}", *folders] }
        end

        # {name of a root => folder} of those below the ones that contain the user's home or Ruby, which belong to the
        # machine.
        def near
          machine = [home, Ground::Ruby.path].compact
          folders = above.take_while { |folder| machine.none? { |place| "#{place}/".start_with?("#{folder}/") } }
          folders.each_with_index.to_h { |folder, index| ["above-#{index + 1}-of-#{folders.size}", folder] }
        end

        # nil where it can be used, else [reason, what, kind] of the first change.
        def change(stored)
          record = stored.record
          return [:folder, record.root, nil] if record.root && record.root != @root

          program, = record.programs.find { |name, path| !@programs.same?(name, path) }
          return [:program, program, :program] if program

          meant = meant(record) and return [:value, meant, :environment]
          appeared = record.above.product(above).map { |name, at| "#{at}/#{name}" }.find { |path| Content.there?(path) }
          appeared ? [:appeared, appeared, :absent] : check(stored.inputs, stored)
        end

        # Whether it would run here, even if it could not be built: its libraries are found, and the processor is of its
        # kind.
        def runs?(stored)
          [nil, @root].include?(stored.record.root) && !check(stored.needs, stored)
        end

        # A change, in words.
        def self.sentence(reason, what, kind = nil)
          case reason
          when :folder then "it holds the folder #{what}, and serves no other"
          when :program then "PATH has another #{what}"
          else Inputs.sentence(reason, what, kind)
          end
        end

        # What was seen may be older than a build that another process has made.
        def forget
          @memo.forget
          @programs.forget
        end

        private

        def home
          folder = @environment["HOME"].to_s
          folder.chomp("/") if folder.match?(%r{\A/[^/]})
        end

        # A variable that was not set then, and that the build's texts mention.
        def meant(record)
          words = Words.parse(record.words)
          (@environment.mentionable - record.names).find { |name| words.mention?(name) }
        end

        def check(path, stored)
          renew_to = path if stored.store&.writable?
          answer = Inputs.check(path, roots, env: @environment.told, memo: @memo, renew_to: renew_to)
          answer if answer.is_a?(Array)
        end
      end
    end
  end
end
