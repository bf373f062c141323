# frozen_string_literal: true

module Spate
  module CLI
    # `spate remove GEM`
    class Remove < Command::Delegated
      summary "Remove gems from the Gemfile, resolve and install"
      usage "spate remove GEM [GEM ...] [options]"
      option :skip_install, "--skip-install", "change Gemfile and lockfile, but do not install"
      option :quiet, "--quiet", "print only errors"
      option :help, "-h", "--help", "print this help"
      example "spate remove rack-attack", "removes its line, and gems that only it required"
      note "Bundler removes lines of the form `gem \"NAME\"`. It does not change a Gemfile in which a loop or a\n" \
           "condition adds the gem. Versions of the other gems do not change."
    end
  end
end
