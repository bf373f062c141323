# frozen_string_literal: true

# The program uses a constant of Bundler that the Bundler replay does not define.
Spate::Boot::BundlerReplay::Real.load
