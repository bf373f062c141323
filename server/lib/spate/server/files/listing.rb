# frozen_string_literal: true

module Spate
  module Server
    class Files
      # The content of a folder, as an HTML page or as JSON.
      class Listing
        autoload :Document, "spate/server/files/listing/page"
        autoload :Page, "spate/server/files/listing/page"

        # name: the name on disk. kind: :file or :directory. bytes: the size. seconds: the modification time, since
        # 1970.
        Item = Struct.new(:name, :kind, :bytes, :seconds) do
          def directory? = kind == :directory
          # The link, relative to the folder's URL. "./" prevents a name with a colon from being parsed as a scheme.
          def href = "./#{Name.encode(name)}#{directory? ? "/" : ""}"
          # The name for display. Invalid bytes are replaced.
          def text = "#{name.scrub("\u{fffd}")}#{directory? ? "/" : ""}"
        end

        # Maximum number of items. Longer listings are truncated.
        MOST = 10_000
        # Number of items after which other threads may run.
        SLICE = 64
        WORTH_CODING = 1024
        FIELDS = { "cache-control" => "no-cache", "vary" => "accept, accept-encoding",
                   "x-content-type-options" => "nosniff" }.freeze

        def initialize(folder, threads, dotfiles:, most: MOST)
          @folder = folder
          @threads = threads
          @dotfiles = dotfiles
          @most = most
          @mutex = Mutex.new
          @waiting = {}
        end

        # name: the name of the folder, "" or "sub/". found: the open folder, which is closed here. Returns nil, because
        # the response follows later.
        def call(request, name, found)
          return busy(found) if @threads.busy?

          wanted = [name, json?(request) ? Document : Page,
                    AcceptEncoding.of(request["accept-encoding"]).include?("gzip")]
          return join(found) unless first?(wanted, request)

          @threads.post { tell(wanted, found) }
          nil
        end

        private

        # Adds the request to the requests that wait for this listing. Returns whether it is the first. Concurrent
        # requests share one listing, because a large folder takes a tenth of a second.
        def first?(wanted, request)
          @mutex.synchronize do
            list = @waiting[wanted] ||= []
            list << request
            list.one?
          end
        end

        def join(found)
          found.close
          nil
        end

        def busy(found)
          found.close
          Response.busy("Too many requests are waiting.\n")
        end

        def tell(wanted, found)
          requests = @mutex.synchronize { @waiting.delete(wanted) }.reject(&:abandoned?)
          answer = requests.empty? ? join(found) : respond(found, *wanted)
          requests.each do |request|
            status, headers, text = answer
            request.answer(Response.new(status, headers.dup, request.head? ? nil : text))
          end
        end

        def respond(found, name, kind, gzip)
          entries, more = found.entries(@most)
          items = sort(entries.filter_map.with_index { |entry, index| item(name, entry, index) })
          code(kind::TYPE, kind.of(name, items, more), gzip)
        rescue SystemCallError
          fail_with(403, "The folder cannot be read.\n")
        rescue StandardError => e
          warn "#{e.class}: #{e.message} (#{e.backtrace&.first})"
          fail_with(500, "The server failed.\n")
        ensure
          found.close
        end

        def fail_with(status, text)
          [status, { "content-type" => "text/plain; charset=utf-8", "content-length" => text.bytesize.to_s }, text]
        end

        # Returns nil for a hidden entry. A symlink is shown as its target, if the target is inside the root.
        def item(folder, entry, index)
          Thread.pass if (index % SLICE).zero?
          name, kind, size, seconds = entry
          return if name.start_with?(".") && !@dotfiles
          return follow(folder, name) if kind == :link

          Item.new(name, kind, size, seconds) if kind != :other
        end

        def follow(folder, name)
          found = @folder.find("#{folder}#{name}")
          return if found.is_a?(Symbol) || !(found.file? || found.directory?)

          Item.new(name, found.directory? ? :directory : :file, found.size, found.mtime / 1_000_000_000)
        end

        # Sorts folders first, then by the bytes of the name.
        def sort(items) = items.sort_by { |item| [item.directory? ? 0 : 1, item.name.b] }

        # Whether the response is JSON. The parameter `format` takes precedence over Accept (RFC 9110, section 12.5.1,
        # without parameters); the default is HTML. Compares bytes, because the client may send invalid text.
        def json?(request)
          query = request.target.b[/\?(.*)/mn, 1].to_s
          asked = query[/(?:\A|&)format=([^&]*)/n, 1]
          return asked == "json" if asked

          weight(request["accept"], "application/json") > weight(request["accept"], "text/html")
        end

        def weight(accept, type)
          items = accept.to_s.b.split(",").to_h do |item|
            name, *parameters = item.downcase.split(";").each(&:strip!)
            [name, (parameters.filter_map { |one| one[/\Aq=([\d.]+)\z/, 1] }.first || 1).to_f]
          end
          items[type] || items["#{type[%r{[^/]+}]}/*"] || items["*/*"] || 0
        end

        def code(type, text, gzip)
          headers = FIELDS.merge("content-type" => type)
          headers["content-security-policy"] = Page::POLICY if type == Page::TYPE
          if gzip && text.bytesize > WORTH_CODING
            text = Zlib.gzip(text)
            headers["content-encoding"] = "gzip"
          end
          [200, headers.merge("content-length" => text.bytesize.to_s), text]
        end
      end
    end
  end
end
