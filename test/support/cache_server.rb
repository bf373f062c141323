# frozen_string_literal: true

require_relative "gem_source"

# A team cache on a static web server, with simulated faults (see GemSource::Server).
class CacheServer < GemSource::Server
  # Serves the files of a folder, or 404.
  class Shelf
    def initialize(folder)
      @folder = folder
    end

    def answer(request)
      path = File.join(@folder, request.path)
      return GemSource::Response.text(404, "not here\n") unless File.file?(path)

      GemSource::Response.new(200, { "Content-Type" => "application/octet-stream" }, File.binread(path))
    end
  end

  def initialize(folder, **options)
    super(nil, **options)
    @pages = Shelf.new(folder)
  end

  def url(...) = super.chomp("/")
end
