# frozen_string_literal: true

# Runs in a booted application. Sends a thousand requests to it, as in a worker process of a server, and measures
# garbage collection. The probe reports the result.
module BootRequests
  COUNT = 1000
  # JSON pages have no layout. The layout that Rails 8 generates needs a stylesheet that Sprockets does not have.
  PATHS = %w[account article comment customer order payment ticket].map { |name| "/#{name}s.json" }.freeze

  class << self
    # {number, collections, major, collected: seconds, resident: KiB}
    attr_reader :found

    def run(application)
      before = state
      session = Rack::MockRequest.new(application)
      COUNT.times { |number| ask(session, PATHS[number % PATHS.length]) }
      @found = { number: COUNT, resident: File.read("/proc/self/status")[/^VmRSS:\s+(\d+)/, 1].to_i,
                 **state.to_h { |name, value| [name, value - before[name]] } }
    end

    private

    def ask(session, path)
      response = session.get(path, "HTTP_HOST" => "localhost")
      return if response.ok?

      raise "#{path}: #{response.status}\n#{response.body[/exception-message-for-copy">(.{0,1000})/m, 1]}"
    end

    def state
      { collections: GC.count, major: GC.stat(:major_gc_count),
        collected: GC.respond_to?(:total_time) ? GC.total_time / 1e9 : 0.0 }
    end
  end
end

# Settings that these gems need, since their database tables are missing.
SecureHeaders::Configuration.default
Ahoy::Store = Class.new(Ahoy::BaseStore)
Ahoy.api_only = true
BootRequests.run(Rails.application)
