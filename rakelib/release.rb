# frozen_string_literal: true

require "open3"
require "tmpdir"
require_relative "bill_of_materials"
require_relative "strict_build"
require_relative "../lib/spate/version"

# Builds the four gems twice, and checks that both builds are identical. Writes their checksums and a list of their
# components. Tests them as a user would: installs them into an empty GEM_HOME, with an empty home folder.
class Release
  GEMS = %w[spate-bytes spate spate-js spate-server].freeze
  LOGS = %w[CHANGELOG.md bytes/CHANGELOG.md js/CHANGELOG.md server/CHANGELOG.md].freeze
  # Creates a project without packages in the current folder, and restores its node_modules.
  RESTORE = <<~SH
    echo '{"name":"a","version":"1.0.0"}' > package.json
    echo '{"name":"a","lockfileVersion":3,"packages":{"":{"name":"a","version":"1.0.0"}}}' > package-lock.json
    spate js && echo "$0"
  SH
  # Commands that must print the version.
  TRIALS = {
    "spate version" => %w[spate version],
    "spate js" => ["sh", "-c", RESTORE, Spate::VERSION],
    "spate-serve --version" => %w[spate-serve --version],
    "spate/bytes, spate/zlib" => ["ruby", "-rspate/bytes", "-rspate/zlib", "-e",
                                  "puts Spate::Zlib.inflate(Spate::Zlib.deflate(ARGV[0]))", Spate::VERSION]
  }.freeze

  UNRELEASED = /^## \S+ \(not released\)/

  # The release is not ready. The message is the reason.
  class Refused < StandardError; end

  def initialize(root, folder)
    @root = root
    @folder = File.expand_path(folder)
  end

  # Yields a line for each step. Returns the paths of the gems. Raises Refused.
  def call
    named_in_logs
    gems = GEMS.map { |name| StrictBuild.new("#{@root}/#{name}.gemspec", @folder).call(Spate::VERSION) }
    gems.each { |path| yield "built #{File.basename(path)}, #{File.size(path) / 1024} KB" }
    reproduce(gems)
    yield "built again: the same bytes"
    describe(gems).each { |path| yield "wrote #{File.basename(path)}" }
    Dir.mktmpdir("spate-release-") do |home|
      run(home, "gem", "install", "--local", "--no-document", "--bindir", "#{home}/bin", *gems)
      yield "installed into an empty GEM_HOME"
      TRIALS.each { |name, command| yield "#{name}: #{answered(name, run(home, *command))}" }
    end
    gems
  end

  # Change logs without a release date for this version.
  def undated = LOGS.select { |path| File.read("#{@root}/#{path}", encoding: "UTF-8").match?(UNRELEASED) }

  private

  def named_in_logs
    heading = /^## #{Regexp.escape(Spate::VERSION)}\b/
    without = LOGS.reject { |path| File.read("#{@root}/#{path}", encoding: "UTF-8").match?(heading) }
    raise Refused, "no heading for #{Spate::VERSION} in #{without.join(", ")}" if without.any?
  end

  def reproduce(gems)
    Dir.mktmpdir("spate-release-") do |again|
      GEMS.zip(gems) do |name, path|
        copy = StrictBuild.new("#{@root}/#{name}.gemspec", again).call(Spate::VERSION)
        raise Refused, "#{name}: the second build differs from the first" unless FileUtils.identical?(path, copy)
      end
    end
  end

  def describe(gems)
    bill = BillOfMaterials.new(gems)
    { "SHA256SUMS" => bill.checksums, "spate-#{Spate::VERSION}.cdx.json" => bill.to_json }.map do |name, content|
      File.join(@folder, name).tap { |path| File.write(path, content) }
    end
  end

  def run(home, *command)
    env = { "HOME" => home, "GEM_HOME" => "#{home}/gems", "GEM_PATH" => "#{home}/gems", "RUBYOPT" => nil,
            "RUBYLIB" => nil, "PATH" => "#{home}/bin:#{File.dirname(RbConfig.ruby)}:#{ENV.fetch("PATH")}" }
    output, status = Open3.capture2e(env, *command, chdir: home)
    status.success? ? output : raise(Refused, "#{command.first(2).join(" ")}: #{output}")
  end

  def answered(name, output)
    output.include?(Spate::VERSION) ? output.lines.first.strip : raise(Refused, "#{name} said #{output.inspect}")
  end
end
