# frozen_string_literal: true

require "uri"

module Spate
  module Server
    class CommandLine
      class Configuration
        # The object in which a configuration file runs. Each method is a directive, with the signature of puma's.
        # rubocop:disable Style/OptionalBooleanParameter, Naming/AccessorMethodName
        class Directives
          # Hooks by the names of puma 8, with the names of earlier versions.
          HOOKS = { before_fork: [], before_worker_boot: [:on_worker_boot], after_booted: [:on_booted],
                    before_worker_shutdown: [:on_worker_shutdown], before_restart: [:on_restart],
                    before_worker_fork: [:on_worker_fork], after_worker_fork: [:after_worker_boot],
                    after_worker_shutdown: [], after_stopped: [:on_stopped], before_thread_start: [:on_thread_start],
                    before_thread_exit: [:on_thread_exit], lowlevel_error_handler: [] }.freeze
          # Names of earlier versions of unsupported directives.
          ALIASES = { on_refork: :before_refork, clean_thread_locals: :fiber_per_request }.freeze
          # Limits by directive.
          LIMITS = { first_data_timeout: :head_seconds, persistent_timeout: :idle,
                     http_content_length_limit: :body }.freeze
          # The host of `port`, as in puma: all interfaces.
          HOST = "0.0.0.0"
          # Seconds that mean "without a limit".
          FOREVER = 1_000_000_000

          attr_reader :values, :notes

          def initialize(path, values)
            @path = path
            @given = values
            @values = { hooks: Hash.new { |all, name| all[name] = [] }, limits: {} }
            @notes = []
            @host = HOST
            @later = []
          end

          # Loads a file.
          def load(path)
            instance_eval(File.read(path, encoding: Encoding::UTF_8), path)
          end

          # Called at the end of the file: runs the blocks of `single` and `cluster`.
          def finish
            workers = @given[:workers] || @values[:workers] || 1
            @later.each { |several, block| instance_eval(&block) if several == (workers > 1) }
          end

          def bind(uri)
            refuse(:bind, "#{uri} has no path in the file system") if uri.to_s.start_with?("unix://@")
            address = URI(uri.to_s)
            case address.scheme
            when "tcp" then bind_tcp(address)
            when "unix" then bind_unix(address)
            when "ssl" then bind_ssl(address)
            else refuse(:bind, "unknown kind of address: #{uri}")
            end
          rescue URI::InvalidURIError => e
            refuse(:bind, e.message)
          end

          def port(number, host = nil) = bind("tcp://#{bracketed(host || @host)}:#{Integer(number)}")

          def clear_binds!
            @pair = nil
            %i[host port tls more cert key].each { |name| @values.delete(name) }
          end

          def ssl_bind(host, port, options = {})
            bind("ssl://#{bracketed(host)}:#{Integer(port)}?#{URI.encode_www_form(options)}")
          end

          def set_default_host(host)
            @host = host
          end

          def threads(min, max = min)
            Integer(min)
            @values[:threads] = Integer(max)
          end

          def workers(count) = @values[:workers] = Configuration.workers(count)
          def preload_app!(answer = true) = @values[:preload] = answer
          def environment(name) = @values[:environment] = name.to_s
          def directory(path) = @values[:directory] = path.to_s
          def rackup(path) = @values[:rack] = path.to_s
          def pidfile(path) = @values[:pid_file] = path.to_s
          def state_path(path) = @values[:state_path] = path.to_s
          def state_permission(permission) = @values[:state_permission] = Integer(permission)
          def tag(text) = @values[:tag] = text.to_s

          def log_requests(which = true)
            @values.merge!(which ? { access_log: "-", log_format: "common" } : {})
          end

          def stdout_redirect(out = nil, err = nil, append = false)
            @values[:redirect] = [out, err, append ? "a" : "w"]
          end

          LIMITS.each do |name, limit|
            define_method(name) do |number|
              @values[:limits][limit] = number && Integer(number)
              Limits.new(**@values[:limits])
            rescue ArgumentError => e
              refuse(name, e.message)
            end
          end

          def force_shutdown_after(value = :forever)
            @values[:drain] = { forever: FOREVER, immediately: 0 }.fetch(value) { Float(value) }
            @values[:drain] = FOREVER if @values[:drain].negative?
          end

          # Seconds; 0 for never.
          { worker_timeout: Program::LEAST_TIMEOUT, worker_boot_timeout: 0 }.each do |name, least|
            define_method(name) do |seconds|
              value = Float(seconds)
              refuse(name, "#{seconds}; expected 0 or at least #{least}") unless value.zero? || value >= least
              @values[name] = (value unless value.zero?)
            end
          end

          def enable_keep_alives(enabled = true)
            refuse(:enable_keep_alives, "connections are always kept open") unless enabled
          end

          # proxy_protocol: "v1" also accepts version 2.
          def set_remote_address(value = :socket)
            return @values[:proxy_protocol] = true if value.is_a?(Hash) && value.keys == [:proxy_protocol]

            refuse(:set_remote_address, "only :socket and proxy_protocol are supported") unless value == :socket
          end

          def plugin(name)
            return @values[:restart_file] = true if name.to_s == "tmp_restart"

            refuse(:plugin, "#{name} needs puma; run it as a separate process")
          end

          def single(&block) = @later << [false, block]
          def cluster(&block) = @later << [true, block]

          HOOKS.each do |name, aliases|
            define_method(name) { |key = nil, &block| @values[:hooks][name] << (block || key) }
            aliases.each { |old| alias_method old, name }
          end

          Unsupported::NEEDLESS.each { |name| define_method(name) { |*_, **_, &_block| nil } }
          Unsupported::IGNORED.each { |name, reason| define_method(name) { |*_, **_, &_block| note(name, reason) } }
          Unsupported::REFUSED.each { |name, reason| define_method(name) { |*_, **_, &_block| refuse(name, reason) } }
          ALIASES.each { |old, name| alias_method old, name }

          private

          def bind_tcp(address)
            refuse(:bind, "unknown parameters: #{address.query}") if address.query

            refuse(:bind, "#{address} has no port") unless address.port

            listen(plain(address.host), address.port)
          end

          def bind_unix(address)
            refuse(:bind, "unknown parameters: #{address.query}") if address.query

            listen("unix:#{URI::DEFAULT_PARSER.unescape("#{address.host}#{address.path}")}", 0)
          end

          def bind_ssl(address)
            parameters = URI.decode_www_form(address.query.to_s).to_h
            parameters.delete("verify_mode") if parameters["verify_mode"] == "none"
            unknown = parameters.keys - %w[cert key]
            refuse(:bind, "unknown parameters: #{unknown.join(", ")}") if unknown.any?

            pair = parameters.values_at("cert", "key")
            @pair ||= pair
            refuse(:bind, "#{address} has a different certificate; only one is supported") if @pair != pair

            listen(plain(address.host), address.port, true)
            @values.merge!({ cert: pair[0], key: pair[1] }.compact)
          end

          # Adds an address. The first one sets the values of --host, --port and --tls.
          def listen(host, port, tls = nil)
            return @values.merge!({ host: host, port: port, tls: tls }.compact) unless @values[:host]

            (@values[:more] ||= []) << [host, port, tls]
          end

          def plain(host) = host.delete_prefix("[").delete_suffix("]")
          def bracketed(host) = host.include?(":") && !host.start_with?("[") ? "[#{host}]" : host
          def note(name, reason) = @notes << "#{@path}: #{name} has no effect: #{reason}"

          def refuse(name, reason)
            line = caller_locations.find { |place| place.path == @path }&.lineno
            raise Error.new("#{[@path, line].compact.join(":")}: #{name}: #{reason}",
                            hint: "remove it, or use another file for this server: --config FILE")
          end

          def method_missing(name, *)
            raise Error.new("#{@path}: unknown directive #{name}", hint: "docs/puma.md lists the directives")
          end

          def respond_to_missing?(*) = false
        end
        # rubocop:enable Style/OptionalBooleanParameter, Naming/AccessorMethodName
      end
    end
  end
end
