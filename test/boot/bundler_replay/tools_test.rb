# frozen_string_literal: true

require_relative "bundle_case"

module Spate
  module Boot
    # Common tools must have the same output with Bundler and with the Bundler replay. They come from this machine's
    # gems.
    class ToolsTest < BundleCase
      TOOLS = %w[rake rspec rubocop irb].freeze
      FILES = {
        "Rakefile" => "task(:default) { puts Rake::VERSION, Gem.loaded_specs.keys.sort, $LOAD_PATH }\n" \
                    "task(:children) { sh \"ruby -e 'p Gem.loaded_specs.size, ENV.to_a.sort'\" }\n",
        "some_spec.rb" => "RSpec.describe('it') { it('is') { expect(Gem.loaded_specs.keys).to include('rake') } }\n",
        ".rubocop.yml" => "AllCops:\n  NewCops: disable\n  SuggestExtensions: false\n",
        "some.rb" => "# frozen_string_literal: true\n\nputs  'x'\n",
        "input.rb" => "1 + 1\nGem.loaded_specs.size\n"
      }.freeze
      COMMANDS = {
        rake: %w[rake], rake_children: %w[rake children],
        rspec: %w[rspec --order defined some_spec.rb],
        rubocop: %w[rubocop --cache false --format simple some.rb],
        irb: %w[irb -f --noecho --prompt null --nomultiline --noreadline input.rb]
      }.freeze

      def self.app
        @app ||= begin
          install
        rescue RuntimeError => e
          e.message.lines.last(6).join
        end
      end

      def self.install
        place = Dir.mktmpdir("spate-tools-")
        Minitest.after_run { FileUtils.rm_rf(place) }
        present = TOOLS.select { |name| Gem::Specification.find_all_by_name(name).any? }
        source = Gem.sources.to_a.first
        gemfile = "source #{source.to_s.dump}\n#{present.map { |name| "gem #{name.dump}\n" }.join}"
        TestProject.new("#{place}/app", gemfile, env: { "BUNDLE_PATH" => nil }).tap do |app|
          FILES.each { |path, text| File.write(app.path(path), text) }
          app.bundle("lock", "--local")
        end
      end

      COMMANDS.each do |name, (tool, *arguments)|
        define_method("test_#{name}") do
          app = ToolsTest.app
          skip "no bundle of the gems installed here: #{app}" if app.is_a?(String)
          skip "#{tool} is not installed here" unless File.read(app.path("Gemfile")).include?("\"#{tool}\"")

          real, ours = [nil, make(app)].map { |bytes| output(bytes, app, tool, arguments) }
          assert_equal real, ours
        end
      end

      private

      # The output of the tool's executable in the bundle, started as by `bundle exec`.
      def output(bytes, app, tool, arguments)
        gem = { "rspec" => "rspec-core" }.fetch(tool, tool)
        code = "ARGV.replace(#{arguments.inspect}); $0 = #{tool.dump}; " \
               "load Gem.activate_bin_path(#{gem.dump}, #{tool.dump}, '>= 0')"
        runner = write("runner.rb", code)
        status = nil
        text = begin
          run_with(bytes, runner, app: app)
        rescue RuntimeError => e
          status = e.message[/exit \d+/]
          e.message.lines.drop(1).join
        end
        [status, text.gsub(/\d+\.\d+ seconds/, "some seconds")]
      end
    end
  end
end
