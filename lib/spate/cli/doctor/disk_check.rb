# frozen_string_literal: true

module Spate
  module CLI
    class Doctor
      # Whether the store's files can be linked into the bundle, and whether there is enough disk space.
      class DiskCheck
        LOW = 1_000_000_000

        def initialize(context)
          @store = context.store
          @bundle = begin
            context.layout.root
          rescue Gemfile::NotFound
            nil # doctor runs outside of an application, too
          end
        end

        def each
          yield space(@store.root)
          return unless @bundle

          yield space(@bundle) unless same?
          yield linking
          yield link_limit
        end

        private

        def space(path)
          all, free = ::Spate::Store::Full.sizes(path)
          return Finding.odd("free space for #{path} is unknown") unless free
          return nowhere(path) if all.zero?

          text = "#{Units.bytes(free)} free for #{path}"
          free < LOW ? Finding.odd(text, hint: "`spate store prune` removes what no project uses") : Finding.ok(text)
        end

        # For /proc and similar file systems, where removing files would not free space.
        def nowhere(path)
          Finding.odd("the file system of #{path} cannot store files",
                      hint: "#{path == @store.root ? "SPATE_HOME=DIR" : "`bundle config path`"} sets another folder")
        end

        def same? = device(@store.root) == device(@bundle)

        def linking
          nearest = Util::Files.nearest(@bundle)
          unless File.writable?(nearest)
            where = nearest == @bundle ? "there" : "into #{@bundle}"
            return Finding.odd("#{nearest} is not writable: nothing can be installed #{where}",
                               hint: "`bundle config path` shows which setting names that folder")
          end
          return probe if same?

          Finding.odd("store and bundle are on different file systems (#{@store.root}, #{@bundle}): files are copied",
                      hint: "set SPATE_HOME to a folder on the bundle's file system to link them")
        end

        # Tests whether a hard link from the store's folder to the bundle's works.
        def probe
          source = File.join(Util::Files.nearest(@store.root), ".spate-doctor-#{Process.pid}")
          target = File.join(Util::Files.nearest(@bundle), ".spate-doctor-#{Process.pid}-link")
          File.write(source, "spate")
          File.link(source, target)
          Finding.ok("files are linked from the store into the bundle" \
                     "#{"; the file system also supports reflinks" if reflinks?(source)}")
        rescue SystemCallError => e
          Finding.odd("no link from #{@store.root} to #{@bundle}: #{e.class.new.message.downcase}; files are copied",
                      hint: "use a file system with hard links for faster installs")
        ensure
          [source, target].compact.each { |path| File.unlink(path) if File.exist?(path) }
        end

        def reflinks?(source)
          copy = "#{source}.clone"
          system("cp", "--reflink=always", source, copy, err: File::NULL, out: File::NULL) ? true : false
        ensure
          File.unlink(copy) if File.exist?(copy)
        end

        def link_limit
          limit = IO.popen(["getconf", "LINK_MAX", Util::Files.nearest(@store.root)], err: File::NULL, &:read).to_i
          return Finding.ok("a file may have #{limit} hard links") unless limit.between?(1, 1000)

          Finding.odd("a file may have at most #{limit} hard links: files are copied for further projects")
        rescue SystemCallError
          Finding.ok("the hard link limit of this file system is unknown")
        end

        def device(path) = File.stat(Util::Files.nearest(path)).dev
      end
    end
  end
end
