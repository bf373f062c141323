# frozen_string_literal: true

module Spate
  module Install
    module Commit
      # The last steps for a gem whose files are in the bundle: its archive, wrappers, plugins and build arguments, and
      # finally its specification, which marks it as installed.
      class Step
        def initialize(context)
          @context = context
          @layout = context.layout
          @made = {}
          @owners = {}
          @plugins = Plugins.new(@layout)
        end

        # Creates the folders that Bundler creates in every bundle, even if empty. dependencies: Dependencies.
        def prepare(dependencies)
          @dependencies = dependencies
          %w[build_info cache doc extensions gems plugins specifications].each do |name|
            Util::Files.make_folder("#{@layout.root}/#{name}")
          end
        end

        def call(item)
          archive(item)
          wrappers(item)
          @plugins.call(item)
          signers(item) if item.native?
          specification(item)
          @context.events.emit(:linked, name: item.full_name)
        end

        private

        def specification(item)
          path = @layout.specification(item.package)
          folder(File.dirname(path)) if item.package.content_address
          BundleFolder.write(path, item.generated.specification)
        end

        def signers(item)
          signers = item.build ? item.build.record.signers : item.signers.to_a
          Extensions::Signers.note("#{@layout.extensions}/#{item.full_name}", signers)
        end

        def archive(item)
          stored = @context.store.archive_path(item.sha256)
          target = "#{@layout.cache}/#{item.full_name}.gem"
          return copy(stored, target) if @context.link_method == :copy || other_mode?(stored)

          Util::Files.link(stored, target) { copy(stored, target) }
        rescue Errno::EEXIST
          nil
        end

        def copy(stored, target)
          Util::Files.replace(target, "#{target}.tmp") { |fresh| IO.copy_stream(stored, fresh) }
        end

        # Whether the archive must be copied. The stored archive may have been written with a different umask, and a
        # link would have the same mode.
        def other_mode?(path) = File.stat(path).mode & 0o777 != 0o666 & ~@context.umask

        def wrappers(item)
          return if item.generated.wrappers.empty?

          folder(@layout.bin)
          item.generated.wrappers.each do |name, text|
            next if executable_overridden?(item, name)

            @owners[name] = item
            BundleFolder.write("#{@layout.bin}/#{name}", text, mode: 0o755)
          end
        end

        # If two gems have an executable with the same name, the gem that depends on the other wins, because Bundler
        # installs it later.
        def executable_overridden?(item, name)
          owner = @owners[name]
          owner && @dependencies.of(owner).include?(item)
        end

        def folder(path) = @made[path] ||= Util::Files.make_folder(path)
      end
    end
  end
end
