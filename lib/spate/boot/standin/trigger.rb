# frozen_string_literal: true

# A constant of Bundler that the stand-in does not have was asked for.
Spate::Boot::Standin::Real.load
