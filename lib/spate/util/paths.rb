# frozen_string_literal: true

require_relative "../error" # required directly, because the rest of Spate is not loaded in a boot

module Spate
  module Util
    # Explains why a path cannot be used: an entry of the wrong type, such as a file or link instead of a folder, or a
    # folder instead of a file. Examines the path itself.
    class PathConflict
      # File.ftype => text for messages.
      KINDS = { "file" => "a file", "directory" => "a folder", "link" => "a symbolic link", "fifo" => "a named pipe",
                "socket" => "a socket", "characterSpecial" => "a device", "blockSpecial" => "a device" }.freeze
      # errno of a failed call => the expected type of the path.
      EXPECTED = { Errno::ENOTDIR::Errno => "a folder", Errno::EISDIR::Errno => "a file",
                   Errno::EEXIST::Errno => "nothing", Errno::ENOTEMPTY::Errno => "nothing" }.freeze

      # The conflict that caused a SystemCallError with a path, or nil.
      def self.of(error)
        paths(error).map { |path| new(path, error.errno) }.find(&:there?)
      end

      # The one or two absolute paths in the message of a failed call.
      def self.paths(error) = error.message.match(PermissionError::PATHS)&.captures.to_a.compact

      # path: absolute, need not exist. root: a folder above the path, or nil. Any symbolic link below the root is a
      # conflict.
      def initialize(path, errno, root: nil)
        @path = path
        @errno = errno
        @root = root
      end

      def there? = place != @path || (EXPECTED.key?(@errno) && !kind.nil?)

      def message
        return "#{@path}: #{SystemCallError.new(@errno).message}" unless there?
        return "#{@path} is #{kind}: expected #{EXPECTED.fetch(@errno)}" if place == @path

        "#{place} is #{kind}: expected a folder, for #{@path}"
      end

      def hint = "remove it; if it comes back, it is part of the package that contains it"

      private

      # The topmost parent that blocks the path (see blocks?), or the path itself.
      def place = @place ||= above.find { |path| blocks?(path) } || @path

      def above
        found = [File.dirname(@path)]
        found << File.dirname(found.last) until ["/", "."].include?(found.last)
        found.reverse
      end

      def blocks?(path)
        return false unless (kind = kind(path))

        kind != "a folder" && !(File.directory?(path) && !below_root?(path))
      end

      def below_root?(path) = !@root.nil? && path.start_with?("#{@root}/")

      def kind(path = place)
        KINDS.fetch(File.ftype(path), "of an unknown kind")
      rescue SystemCallError
        nil
      end
    end

    # The environment does not determine a folder for the store.
    class NoHome < Error
      EXIT_CODE = 9

      def self.relative(path, name)
        new("no folder for the store: #{name} is not an absolute path: #{path.inspect}",
            hint: "use an absolute path: #{File.expand_path(path)}")
      end

      # home: the value of HOME, or nil.
      def self.unknown(home)
        new("no folder for the store: HOME is #{home.nil? ? "not set" : home.inspect} and user #{Process.euid} has " \
            "no home folder", hint: "set SPATE_HOME to the absolute path of a folder")
      end
    end
  end
end
