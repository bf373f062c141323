# frozen_string_literal: true

module Spate
  module Install
    # One install at a time in one bundle: a lock on the bundle's folder itself, which leaves no file behind and ends
    # with its process, however that ends.
    module BundleLock
      def self.hold(root)
        folder = open(root)
        folder.flock(File::LOCK_EX)
        yield
      ensure
        folder&.close
      end

      def self.open(root)
        Placement.folder(root)
        File.open(root)
      rescue Errno::EACCES, Errno::EROFS, Errno::ENOTDIR, Errno::ENOENT, Errno::ELOOP, Errno::ENOSPC => e
        denied = Denied.new(root) if e.is_a?(Errno::EACCES)
        raise Store::Error.new(denied&.message || "#{root}: #{e.class.new.message.downcase}",
                               hint: denied&.hint || "the bundle's folder must be one that you can write; " \
                                     "`bundle config path` says which")
      end
      private_class_method :open
    end
  end
end
