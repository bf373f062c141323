# frozen_string_literal: true

require "open3"
require "tmpdir"
require_relative "bill_of_materials"
require_relative "precompiled"
require_relative "strict_build"
require_relative "../lib/spate/version"

# Builds the four gems and the precompiled ones twice, and checks that both builds are identical. Writes their checksums
# and a list of their components. Tests the source gems as a user would: installs them into an empty GEM_HOME, with an
# empty home folder.
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

  # precompiled: Precompiled, or nil to build only the source gems.
  def initialize(root, folder, precompiled: nil)
    @root = root
    @folder = File.expand_path(folder)
    @precompiled = precompiled
  end

  # Yields a line for each step. Returns the paths of the gems. Raises Refused.
  def call
    named_in_logs
    gems = build(@folder)
    all = gems + @precompiled&.build(@folder).to_a
    all.each { |path| yield "built #{File.basename(path)}, #{File.size(path) / 1024} KB" }
    reproduce(all)
    yield "built again: the same bytes"
    describe(all).each { |path| yield "wrote #{File.basename(path)}" }
    Dir.mktmpdir("spate-release-") do |home|
      run(home, "gem", "install", "--local", "--no-document", "--bindir", "#{home}/bin", *gems)
      yield "installed into an empty GEM_HOME"
      TRIALS.each { |name, command| yield "#{name}: #{answered(name, run(home, *command))}" }
    end
    all
  end

  # Change logs without a release date for this version.
  def undated = LOGS.select { |path| File.read("#{@root}/#{path}", encoding: "UTF-8").match?(UNRELEASED) }

  private

  def named_in_logs
    heading = /^## #{Regexp.escape(Spate::VERSION)}\b/
    without = LOGS.reject { |path| File.read("#{@root}/#{path}", encoding: "UTF-8").match?(heading) }
    raise Refused, "no heading for #{Spate::VERSION} in #{without.join(", ")}" if without.any?
  end

  # Returns the paths of the source gems.
  def build(folder) = GEMS.map { |name| StrictBuild.new("#{@root}/#{name}.gemspec", folder).call(Spate::VERSION) }

  def reproduce(gems)
    Dir.mktmpdir("spate-release-") do |again|
      gems.zip(build(again) + @precompiled&.build(again).to_a) do |path, copy|
        next if FileUtils.identical?(path, copy)

        raise Refused, "#{File.basename(path)}: the second build differs from the first"
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
