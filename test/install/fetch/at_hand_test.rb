# frozen_string_literal: true

require "install/install_case"

# An archive in vendor/cache needs no connection, so no thread waits for one.
class AtHandTest < InstallCase
  COUNT = 12
  # Counts the threads that a `spate` process starts.
  COUNTER = <<~RUBY
    begun = 0
    TracePoint.new(:thread_begin) { begun += 1 }.enable
    at_exit { File.write(ENV.fetch("COUNTED"), begun.to_s) if $PROGRAM_NAME.end_with?("spate") }
  RUBY

  def setup
    super
    @gems = Array.new(COUNT) { |number| "plain#{number}" }
    @gems.each { |name| @source.add(name, "1.0", files: { "lib/#{name}.rb" => "" }) }
    File.write("#{folder}/counter.rb", COUNTER)
  end

  def test_no_connection_is_opened_for_archives_in_vendor_cache
    assert_operator threads(vendored(@gems)), :<, COUNT
  end

  # Missing archives are fetched at the same time.
  def test_missing_archives_are_fetched
    assert_operator threads(vendored(@gems.first(3))), :>=, COUNT - 3
  end

  private

  def vendored(names)
    app(gems: @gems).tap do |project|
      FileUtils.mkdir_p(project.path("vendor/cache"))
      names.each { |name| FileUtils.cp("#{@source.catalog.folder}/#{name}-1.0.gem", project.path("vendor/cache")) }
    end
  end

  def threads(project)
    assert_installs(project, *@gems.map { |name| "#{name}-1.0" }, options: ["--jobs", "2"],
                                                                  RUBYOPT: "-r#{folder}/counter.rb",
                                                                  COUNTED: "#{folder}/counted")
    Integer(File.read("#{folder}/counted"), 10)
  end
end
