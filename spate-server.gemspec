# frozen_string_literal: true

require_relative "server/lib/spate/server/version"

Gem::Specification.new do |spec|
  spec.name = "spate-server"
  spec.version = Spate::Server::VERSION
  spec.authors = ["Spate authors"]
  spec.summary = "An HTTP/2 server whose frames are Spate's buffers"
  spec.description = "Serves files and Rack applications over HTTP/2 and HTTP/1.1 on one port, clear or TLS, " \
                     "with workers, hot restart, metrics and profiles. What is done for each frame and " \
                     "each request is C on Spate's buffers; what is decided is Ruby."
  spec.license = "MIT"
  spec.required_ruby_version = ">= 3.1"
  spec.metadata = { "rubygems_mfa_required" => "true", "documentation" => "server/README.md",
                    "changelog" => "server/CHANGELOG.md" }

  spec.files = Dir.chdir(__dir__) do
    Dir["server/{lib,sig}/**/*.{rb,rbs}", "server/ext/**/*.{rb,c,h}", "server/core/*.{c,h}", "server/assets/**/*",
        "assets/page.css", "server/exe/*", "server/docs/**/*.md", "server/*.{md,txt}"].select do |path|
      File.file?(path)
    end.sort
  end
  spec.bindir = "server/exe"
  spec.executables = ["spate-serve"]
  spec.extensions = Dir.chdir(__dir__) { Dir["server/ext/*/extconf.rb"].sort }
  spec.require_paths = ["server/lib"]
  # Its buffers, and nothing else; the two are released together.
  spec.add_runtime_dependency "spate-bytes", Spate::Server::VERSION
end
