# frozen_string_literal: true

module Spate
  module Boot
    # Starts a builder that is nobody's child: in a session of its own, at low priority, without descriptors or
    # environment of the program that boots, which never sees it. One builder an application works at a time, for a
    # bounded time; what goes wrong is in its log. Core Ruby only: part of a boot that has news.
    module Background
      autoload :Attempts, "#{__dir__}/background/attempts"

      # Bytes after which the log begins anew.
      LOG_LIMIT = 64 << 10

      module_function

      # location: answers root, gemfile and lockfile. recorded: as Native::Loader.recorded has it; nil after an install.
      # renew: whether the bundle is surveyed again. env: the user's, as it was before the program changed it, for the
      # stand-in is made with it. load_path: as the boot has it in the end. whole: see Recording#with.
      # Answers whether a builder was started; where none may be, the boot is noted for one that is started by hand, and
      # where the last ones failed, for the next one.
      def start(location, recorded = nil, images: nil, renew: recorded.nil?, env: ENV, load_path: $LOAD_PATH,
                whole: true)
        images ||= default_images(env)
        forbidden = forbidden(env)
        return false if !images.writable?(env) || (forbidden && !by_hand?(images, location))

        images.make
        leave(images, location, recorded.map(&:first) + folders(load_path), whole) if recorded
        attempts = attempts(images, location)
        return false if forbidden || (recorded && attempts.wait.positive?)

        attempts.add
        spawn(images, location, renew, env)
      rescue SystemCallError
        false # a full disk, a limit on processes: the next boot tries again
      end

      # Why no builder may be started (String), nil where it may.
      def forbidden(env)
        asked = env["SPATE_BOOT_BACKGROUND"].to_s
        return "SPATE_BOOT_BACKGROUND is #{asked}" if %w[0 false].include?(asked)
        return "SPATE_READONLY is set" unless ["", "0", "false"].include?(env["SPATE_READONLY"].to_s)
        return "CI is set" if asked.empty? && !["", "0", "false"].include?(env["CI"].to_s)

        foster
      end

      # Why a builder would become a program's child after all, when what started it ends: orphans go to process 1.
      def foster
        return "orphans become this process' children, and so would it" if Native.adopts_orphans?

        # What another user runs there is a system's own, and not told.
        "process 1 is a Ruby program, and it would become its child" if File.identical?("/proc/1/exe", ruby)
      end

      # The log of the last builder of an application.
      def log_path(images, location)
        images.recording_path(location.root, location.gemfile).sub(/recording\z/, "log")
      end

      # Builders of an application that were started in vain.
      def attempts(images, location)
        Attempts.new(images.recording_path(location.root, location.gemfile).sub(/recording\z/, "attempts"))
      end

      # Whether somebody makes images with `spate boot build`, which then wants to know of this boot.
      def by_hand?(images, location)
        place = [location.root, location.gemfile]
        File.exist?(images.boot_path(*place)) && !Recording::Drop.full?(images.recording_path(*place))
      end

      def ruby
        require "#{__dir__}/../ground"
        Ground::Ruby.path
      end

      def default_images(env)
        require "#{__dir__}/../store/home"
        Images.new("#{Store::Home.find(env)}/store/v1")
      end

      def leave(images, location, paths, whole)
        Recording::Drop.leave(images.recording_path(location.root, location.gemfile), Session.kind, paths, whole: whole)
      end

      def folders(load_path)
        own = File.expand_path("../..", __dir__)
        load_path.filter_map { |path| "#{path}/" if path.is_a?(String) && path.start_with?("/") && path != own }
      end

      def spawn(images, location, renew, env)
        require "#{__dir__}/../ground"
        clean = Ground::Environment.clean(env).except("SPATE_LOG")
        words = [ruby, *Compiler::RubyOptions.current, Builder::Child::SCRIPT,
                 *Builder::Words.for(location, images, renew: renew)]
        open_log(log_path(images, location)) do |log|
          Native.start_apart(words, clean.map { |pair| pair.map(&:b).join("=") }, log.fileno)
        end
      end

      def open_log(path, &block)
        flags = File::WRONLY | File::CREAT | File::APPEND | File::NOFOLLOW
        flags |= File::TRUNC if File.size?(path).to_i > LOG_LIMIT
        File.open(path, flags, 0o600, &block)
      end

      private_class_method :by_hand?, :ruby, :default_images, :leave, :folders, :spawn, :open_log
    end
  end
end
