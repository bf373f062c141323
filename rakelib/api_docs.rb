# frozen_string_literal: true

# Writes the documentation of the public Ruby API as HTML. The public API is everything defined in FILES, except what is
# marked with `@!visibility private`. Everything else is internal and may change in any version.
class APIDocs
  FILES = %w[
    lib/spate/version.rb lib/spate/error.rb lib/spate/events.rb lib/spate/cli.rb
    lib/spate/store.rb lib/spate/lockfile.rb lib/spate/lockfile/parse_error.rb lib/spate/lockfile/sources.rb
    lib/spate/lockfile/spec.rb lib/spate/package.rb lib/spate/plan.rb lib/spate/planner.rb lib/spate/platform.rb
    lib/spate/boot/entry.rb lib/spate/boot/compile_cache_folder.rb lib/spate/gemfile.rb lib/spate/gemfile/location.rb
    lib/spate/compile_cache/builder.rb
    bytes/lib/spate/bytes.rb bytes/lib/spate/bytes/array_buffer.rb bytes/lib/spate/bytes/data_view.rb
    bytes/lib/spate/bytes/typed_array.rb bytes/lib/spate/zlib.rb bytes/lib/spate/zlib/batch.rb
    bytes/lib/spate/zlib/global.rb bytes/lib/spate/zlib/gzip_file.rb bytes/lib/spate/zlib/gzip_reader.rb
    bytes/lib/spate/zlib/gzip_reader/lines.rb bytes/lib/spate/zlib/gzip_writer.rb
    server/lib/spate/server.rb server/lib/spate/server/version.rb server/lib/spate/server/error.rb
    server/lib/spate/server/files.rb server/lib/spate/server/limits.rb server/lib/spate/server/reactor.rb
    server/lib/spate/server/request.rb
    server/lib/spate/server/request/body.rb server/lib/spate/server/response.rb
    server/lib/spate/server/response/body/queue.rb server/lib/spate/server/rack.rb
    server/lib/spate/server/rack/buffered_body.rb server/lib/spate/server/rack/hijack.rb
    server/lib/spate/server/profile.rb server/lib/spate/server/profile/signals.rb
  ].freeze

  OPTIONS = [
    "--no-yardopts", "--no-document", "--no-cache", "--no-save", "--fail-on-warning", "--no-stats", "--no-progress",
    "--title", "Spate: public Ruby API", "--markup", "markdown"
  ].freeze

  # YARD is not installed.
  class Missing < StandardError; end

  def initialize(root)
    @root = root
  end

  # Writes the pages into a folder. Exits with status 1 if YARD prints warnings.
  def write(folder)
    load
    Dir.chdir(@root) do
      YARD::CLI::Yardoc.run(*OPTIONS, "--output-dir", folder, *FILES)
    end
  end

  # The public methods (YARD's code objects), for tests. Parses the files again.
  def methods
    load
    YARD::Registry.clear
    YARD.parse(FILES.map { |path| "#{@root}/#{path}" }, [], YARD::Logger::ERROR)
    YARD::Registry.all(:method).select { |method| public?(method) }
  end

  private

  def load
    require "yard"
  rescue LoadError
    raise Missing, "cannot load the gem yard\nhint: apt-get install yard, or gem install yard"
  end

  def public?(object)
    object.root? || (object.visibility == :public && public?(object.namespace))
  end
end
