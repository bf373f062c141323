# frozen_string_literal: true

module Spate
  module Server
    module Rack
      # Makes a Rack environment from a request. Constant entries are copied from a template, and translated field names
      # are cached.
      class Environment
        autoload :TrustedProxies, "spate/server/rack/environment/trusted_proxies"

        # The fields that do not become HTTP_ keys. nil: the field is skipped.
        KEYS = { "content-type" => "CONTENT_TYPE", "content-length" => "CONTENT_LENGTH", "version" => nil,
                 "host" => nil }.freeze
        # REMEMBERED: number of translated names that are cached. LONGEST: bytes of a name that is cached. Both are
        # limited because a client may send any names.
        REMEMBERED = 1024
        LONGEST = 64
        # A valid method. An HTTP/2 client may send any bytes, which could inject a line when they are forwarded over
        # HTTP/1.1.
        VERB = /\A[!#$%&'*+\-.^_`|~0-9A-Za-z]+\z/n
        TRAILERS = "spate.trailers"
        # Streamed bodies are rewindable if they are at most SMALL bytes long, or forms.
        SMALL = 65_536
        # Fields of a proxy that sends files. With them a client could make Rack::Sendfile name another file.
        NAMING = %w[HTTP_X_SENDFILE_TYPE HTTP_X_ACCEL_MAPPING].freeze
        FORM = %r{\A(?:application/x-www-form-urlencoded|multipart/)}i

        # multiprocess: whether other processes serve the same application. proxies: a TrustedProxies, or nil. sendfile:
        # whether the server sends the files that the application names.
        def initialize(errors: $stderr, multiprocess: false, proxies: nil, sendfile: false)
          @proxies = proxies
          @sendfile = sendfile
          @second = Rack.second?
          @base = base(errors, multiprocess)
          # Only the templates of these schemes are cached, because a client may send any scheme.
          @templates = %w[http https].to_h { |scheme| [scheme, template(scheme)] }
          @authorities = %w[http https].to_h { |scheme| [scheme, Authority.new(scheme)] }
          @keys = KEYS.dup
        end

        # Returns the environment, or nil for a target or an authority that Rack cannot represent.
        def of(request, callbacks)
          verb = request.verb
          scheme = https?(request) ? "https" : "http"
          env = @templates[scheme].dup
          place(env, request, scheme) && target(env, request) && (verb == "GET" || VERB.match?(verb.b)) or return
          version = request.version
          env["REQUEST_METHOD"] = verb
          env["SERVER_PROTOCOL"] = env["HTTP_VERSION"] = version
          env["rack.hijack?"] = version != "HTTP/2" if @second # in Rack 2: whether the socket can be taken over
          peer = request.peer and env["REMOTE_ADDR"] = peer
          env["rack.response_finished"] = callbacks.finished
          env["rack.after_reply"] = callbacks.after
          env["rack.early_hints"] = EarlyHints.new(request)
          env["spate.request"] = request
          fields(env, request)
          NAMING.each { |key| env.delete(key) } if @sendfile
          env["rack.input"] = request.body ? input(request, env) : Input::Memory.new(String.new)
          env
        end

        private

        # Uses the transport's scheme, because a client could falsely claim to use TLS.
        def https?(request)
          (request.connection.scheme || request.scheme) == "https" || (@proxies ? @proxies.https?(request) : false)
        end

        def base(errors, multiprocess)
          { "SCRIPT_NAME" => "", "QUERY_STRING" => "", "GATEWAY_INTERFACE" => "CGI/1.2",
            "SERVER_SOFTWARE" => "spate/#{VERSION}", "rack.version" => @second ? [1, 3] : [3, 0],
            "rack.errors" => errors, "rack.multithread" => true, "rack.multiprocess" => multiprocess,
            "rack.run_once" => false, "rack.hijack?" => true }
        end

        def template(scheme)
          @base.merge("rack.url_scheme" => scheme, **(scheme == "https" ? { "HTTPS" => "on" } : {}))
        end

        def place(env, request, scheme)
          authority = request.authority
          if authority.nil? || authority.empty?
            env["SERVER_NAME"] = "localhost"
            env["SERVER_PORT"] = "80"
            return true
          end
          name, port = @authorities[scheme].parse(authority)
          return unless name

          env["HTTP_HOST"] = authority
          env["SERVER_NAME"] = name
          env["SERVER_PORT"] = port
        end

        # PATH_INFO stays percent-encoded, as in other servers.
        def target(env, request)
          target = request.target
          return if target.include?("#") || !(target.start_with?("/") || (target == "*" && request.verb == "OPTIONS"))

          env["REQUEST_URI"] = target
          mark = target.index("?")
          env["PATH_INFO"] = env["REQUEST_PATH"] = mark ? target[0, mark] : target
          env["QUERY_STRING"] = target[(mark + 1)..] if mark
          true
        end

        # Makes the input rewindable if needed. Rack 2 requires that, and many applications need it because they verify
        # the signature of a form's bytes after the parameters were parsed.
        def input(request, env)
          body = request.body
          buffered = body.buffered
          return whole(body, buffered, env) if buffered.whole?

          # HTTP/2 does not use this field, but Rails ignores a body of unknown length without it.
          env["HTTP_TRANSFER_ENCODING"] ||= "chunked" unless body.length
          again = again?(body, env)
          input = again ? Input::Rewindable.new(Input.new(body), buffered) : Input.new(body, buffered.io)
          measure(input.size, env) if @second && body.length.nil?
          input
        end

        def again?(body, env)
          @second || (body.length || SMALL + 1) <= SMALL || env["CONTENT_TYPE"]&.match?(FORM)
        end

        def whole(body, buffered, env)
          measure(buffered.size, env) unless body.length
          buffered.io
        end

        # Sets CONTENT_LENGTH, as puma does, because frameworks read that many bytes.
        def measure(size, env)
          env["CONTENT_LENGTH"] = size.to_s
          env.delete("HTTP_TRANSFER_ENCODING")
        end

        # A name with "_" maps to the same key as one with "-". It never replaces another value, because a client could
        # then overwrite a field that a proxy has set.
        def fields(env, request)
          doubtful = nil
          request.each_field do |name, value|
            key = @keys.fetch(name) { remember(name) } or next
            next (doubtful ||= []) << key << value if name.include?("_")

            known = env[key]
            env[key] = known ? Request.join(name, known, value) : value
          end
          doubtful&.each_slice(2) { |key, value| env[key] = value unless env.key?(key) || protected?(key) }
        end

        def protected?(key) = %w[HTTP_CONTENT_LENGTH HTTP_CONTENT_TYPE HTTP_TRANSFER_ENCODING HTTP_HOST].include?(key)

        def remember(name)
          key = -"HTTP_#{name.upcase.tr("-", "_")}"
          @keys[name] = key if @keys.size < REMEMBERED && name.bytesize <= LONGEST
          key
        end
      end

      # env["rack.early_hints"]: sends fields before the response, with status 103.
      class EarlyHints
        def initialize(request)
          @request = request
        end

        def call(headers)
          @request.inform(103, Fields.of(headers))
        end
      end
    end
  end
end
