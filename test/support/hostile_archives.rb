# frozen_string_literal: true

# Archives that no correct gem builder creates, each with the expected result.
module HostileArchives
  autoload :Gem, File.expand_path("hostile_archives/gem", __dir__)
  autoload :Tar, File.expand_path("hostile_archives/tar", __dir__)
  autoload :Refused, File.expand_path("hostile_archives/refused", __dir__)
  autoload :Accepted, File.expand_path("hostile_archives/accepted", __dir__)
end
