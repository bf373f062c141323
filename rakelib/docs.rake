# frozen_string_literal: true

desc "Write docs/commands.md from the commands' own help"
task :docs do
  require_relative "../test/support/command_pages"
  File.write("docs/commands.md", CommandPages.text)
end
