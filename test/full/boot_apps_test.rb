# frozen_string_literal: true

require "support/boot_sameness_case"
$LOAD_PATH.push File.expand_path("../../benchmark", __dir__)
require "support/boot_app"

# The large applications of the benchmark must behave the same after a boot with and without Spate. They are generated
# and installed once, in the benchmark's folder.
class BootAppsFullTest < Spate::BootSamenessCase
  # The part of Spate::BootRails' tell.rb that does not depend on that application.
  TELL = <<~'RUBY'
    told = { features: $LOADED_FEATURES.dup, load_path: $LOAD_PATH.map(&:to_s), environment: ENV.to_h }
    told[:constants] = ObjectSpace.each_object(Module).filter_map { |m| Module.instance_method(:name).bind_call(m) }
                                  .uniq.grep_v(/#<|0x\h/).sort
    told[:methods] = ObjectSpace.each_object(Class).select { |c| Module.instance_method(:name).bind_call(c)&.start_with?("Act") }
                                .flat_map { |c| c.instance_methods(false).sort.map { |n| [c.name, n, c.instance_method(n).source_location] } }
                                .uniq.sort_by(&:inspect)
    File.binwrite(ENV.fetch("BOOT_TOLD"), Marshal.dump(told))
    load ENV.fetch("BOOT_PROBE")
  RUBY

  def test_the_large_application_in_development = compare("large", RAILS_ENV: "development")
  def test_the_large_application_in_production = compare("large", RAILS_ENV: "production")
  def test_bundler_require_of_lobsters = compare("lobsters")
  def test_bundler_require_of_human_essentials = compare("human-essentials")

  private

  def compare(name, **env)
    made = Benchmark::BootApp.new(name)
    skip "no folder #{name} in #{Spate::TestApps::FOLDER}" unless made.available?

    made.prepare
    app = Application.new(made, File.join(folder, "home"))
    app.warm(*app.arguments, **env)
    assert_same_boot(app, hits: 1500, **env)
  end

  # An application of the benchmark with a temporary home.
  class Application < Spate::BootProject
    attr_reader :arguments

    def initialize(made, home)
      super(made.folder, home: home)
      @made = made
      program = made.command("load %q(#{home}/tell.rb)")
      @arguments = program.first == "ruby" ? program.drop(1) : program
      File.write("#{home}/tell.rb", TELL)
    end

    def env(more = {}) = super(Benchmark::BootApp::ENVIRONMENT.merge("BOOT_TOLD" => "#{home}/told", **more))

    def told(spate:, **more)
      FileUtils.rm_f("#{home}/told")
      result = public_send(spate ? :spate : :plain, *arguments, **more)
      file = "#{home}/told"
      [File.exist?(file) ? Marshal.load(File.binread(file)) : {}, result] # rubocop:disable Security/MarshalLoad
    end
  end
end
