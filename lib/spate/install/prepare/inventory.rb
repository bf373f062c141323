# frozen_string_literal: true

module Spate
  module Install
    module Prepare
      # Lists the gems already in the bundle by reading two directories for the whole bundle, and a third one if a gem
      # is missing, because it may be content-addressed.
      class Inventory
        def initialize(layout)
          @layout = layout
          @specifications = names(layout.specifications, ".gemspec")
          @gems = names(layout.gems, "")
          @others = layout.specification_folders.drop(2)
        end

        # A gem counts as installed if its folder and its specification (written last) exist and its extensions are
        # complete.
        def installed?(full_name)
          return elsewhere?(full_name) unless specification?(full_name) && @gems.key?(full_name)

          head = head(full_name)
          return false if head.empty?

          !declares_extensions?(head) || File.file?("#{@layout.extensions}/#{full_name}/gem.build_complete")
        end

        private

        def specification?(full_name) = @specifications.key?(full_name) || addressed.key?(full_name)

        def addressed = @addressed ||= names("#{@layout.specifications}/#{Util::Ruby.abi}", ".gemspec")

        def elsewhere?(full_name)
          return false if @others.empty?

          @elsewhere ||= @others.flat_map { |folder| names(folder, ".gemspec").keys }.to_h { |name| [name, true] }
          @elsewhere.key?(full_name)
        end

        # RubyGems' stub lines are within the first LINES lines of a gemspec and, unless they are unusually long, within
        # its first HEAD bytes.
        LINES = 4
        HEAD = 1024
        private_constant :LINES, :HEAD

        # The first lines of an installed gemspec. After a power loss the file may be empty; RubyGems ignores such a
        # gem.
        def head(full_name)
          folder = "#{Util::Ruby.abi}/" unless @specifications.key?(full_name)
          path = "#{@layout.specifications}/#{folder}#{full_name}.gemspec"
          head = File.binread(path, HEAD).to_s
          head.bytesize == HEAD && head.count("\n") < LINES ? File.binread(path) : head
        end

        # The second stub line, if there is one, lists the extensions.
        def declares_extensions?(head) = head[/\A(?:.*\n?){#{LINES}}/o].scan(/^# stub: /).length > 1

        def names(folder, suffix)
          Dir.children(folder).filter_map { |name| [name.delete_suffix(suffix), true] if name.end_with?(suffix) }.to_h
        rescue Errno::ENOENT
          {}
        end
      end
    end
  end
end
