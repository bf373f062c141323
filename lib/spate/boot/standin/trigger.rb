# frozen_string_literal: true

# The program uses a constant of Bundler that the stand-in does not have.
Spate::Boot::Standin::Real.load
