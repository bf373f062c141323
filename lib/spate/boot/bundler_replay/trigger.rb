# frozen_string_literal: true

# Autoloaded when the program uses a constant of Bundler that the Bundler replay does not define.
Spate::Boot::BundlerReplay::Real.load
