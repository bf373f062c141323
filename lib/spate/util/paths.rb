# frozen_string_literal: true

require_relative "../error" # required directly, since a boot loads nothing else

module Spate
  module Util
    # The entry that blocks a path: a file or a link in place of a folder, or a folder in place of a file. Found by
    # looking at the path, regardless of the failed call.
    class PathConflict
      # Names for File.ftype.
      KINDS = { "file" => "a file", "directory" => "a folder", "link" => "a symbolic link", "fifo" => "a named pipe",
                "socket" => "a socket", "characterSpecial" => "a device", "blockSpecial" => "a device" }.freeze
      # The type that a failed call expected at the path itself, by errno.
      EXPECTED = { Errno::ENOTDIR::Errno => "a folder", Errno::EISDIR::Errno => "a file",
                   Errno::EEXIST::Errno => "nothing", Errno::ENOTEMPTY::Errno => "nothing" }.freeze

      # The conflict that caused a SystemCallError with a path, or nil.
      def self.of(error)
        paths(error).map { |path| new(path, error.errno) }.find(&:there?)
      end

      # The one or two absolute paths in the message of a failed call.
      def self.paths(error) = error.message.match(PermissionError::PATHS)&.captures.to_a.compact

      # path: absolute, need not exist. root: a folder above the path. Below it any link is a conflict, regardless of
      # its target.
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

      # The first entry in the path that is not a folder, otherwise the path itself.
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

    # No folder for the store can be derived from the environment.
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
