# frozen_string_literal: true

desc "Build the extensions (bin/compile)"
task(:compile) { ruby "bin/compile" }

desc "Run every test (bin/test)"
task(:test) { sh "bin/test" }

desc "Check the style"
task(:style) { sh "rubocop" }

desc "Build pkg/spate-VERSION.gem"
task :package do
  mkdir_p "pkg"
  require_relative "../lib/spate/version"
  sh "gem", "build", "--strict", "spate.gemspec", "--output", "pkg/spate-#{Spate::VERSION}.gem"
end
