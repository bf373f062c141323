# frozen_string_literal: true

desc "Build the extensions (bin/compile)"
task(:compile) { ruby "bin/compile" }

desc "Run every test (bin/test)"
task(:test) { sh "bin/test" }

desc "Check the style"
task(:style) { sh "rubocop" }

desc "Build the gems into pkg/, or another folder; any warning but one fails (rakelib/strict_build.rb)"
task :package, [:folder] do |_, arguments|
  require_relative "strict_build"
  require_relative "../lib/spate/version"
  %w[spate-bytes.gemspec spate.gemspec spate-js.gemspec spate-server.gemspec].each do |gemspec|
    puts StrictBuild.new(gemspec, arguments[:folder] || "pkg").call(Spate::VERSION)
  end
end

# Reads the variables of the tasks below. SYSTEMS: systems for bin/fresh, separated by spaces, with bin/fresh's options
# before a comma: "debian13 --arch=arm64,debian12"; empty for none. RUBIES: paths of more Rubies, on this machine.
precompiled = lambda do
  require_relative "precompiled"
  systems = ENV.fetch("SYSTEMS", Precompiled::SYSTEMS).split.map { |text| text.split(",") }
  Precompiled.new(File.expand_path("..", __dir__), systems: systems, rubies: ENV["RUBIES"].to_s.split)
end

desc "Build the precompiled gems into pkg/, or another folder [SYSTEMS=\"debian12 debian13\" RUBIES=/opt/ruby/bin/ruby]"
task :precompiled, [:folder] do |_, arguments|
  natives = precompiled.call
  natives.compile { |line| puts line }
  puts natives.build(arguments[:folder] || "pkg")
end

desc "Build all gems into pkg/ and try them in an empty GEM_HOME [SYSTEMS, RUBIES]; then: git tag, gem push"
task :release, [:folder] do |_, arguments|
  require_relative "release"
  natives = precompiled.call
  natives.compile { |line| puts line }
  release = Release.new(File.expand_path("..", __dir__), arguments[:folder] || "pkg", precompiled: natives)
  gems = release.call { |line| puts line }
  next puts "not to be tagged yet: no date in #{release.undated.join(", ")}" if release.undated.any?

  puts "ready: git tag -s v#{Spate::VERSION}, then gem push #{gems.map { |path| File.basename(path) }.join(", ")}"
end
