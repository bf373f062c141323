# frozen_string_literal: true

module Fresh
  # Raised if a system cannot be built here.
  class Unable < StandardError
  end

  PROJECT = File.expand_path("../..", __dir__)

  def self.cache = File.expand_path(ENV.fetch("FRESH_CACHE", "tmp/fresh"), PROJECT)

  # The options and arguments of bin/fresh.
  class Options
    NAMES = %w[--tree --user --keep --again].freeze
    ARCH = "--arch="
    USAGE = "usage: bin/fresh [#{NAMES.join("] [")}] [#{ARCH}NAME] debian12|debian13|RUBY-VERSION " \
            "COMMAND [ARGUMENT ...]".freeze

    # system: "debian13", "3.4" ...; command: words.
    attr_reader :system, :command

    def initialize(words)
      @given = words.take_while { |word| word.start_with?("-") }
      @system, *@command = words.drop(@given.length)
      strange = @given.find { |word| !NAMES.include?(word) && !word.start_with?(ARCH) }
      abort "bin/fresh: what is #{strange}?\n#{USAGE}" if strange
      abort USAGE if @command.empty?
    end

    # Debian's name of an architecture, e.g. "s390x"; nil for this one.
    def arch = @given.find { |word| word.start_with?(ARCH) }&.delete_prefix(ARCH)

    def tree? = @given.include?("--tree")
    def user? = @given.include?("--user")
    def keep? = @given.include?("--keep")
    def again? = @given.include?("--again")
  end
end
