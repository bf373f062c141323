# frozen_string_literal: true

# A Ruby file of a precompiled gem. It loads the native library that was compiled for the running Ruby. Its path,
# apart from the suffix, is that of the library in a checkout and in a gem that is compiled on the user's machine.
class Loader
  TEMPLATE = <<~'RUBY'
    # frozen_string_literal: true

    # Loads the library that was compiled for this Ruby.
    name = "%<name>s"
    path = "#{__dir__}/#{RUBY_VERSION[/\A\d+\.\d+/]}/#{name}.so"
    unless File.file?(path)
      rubies = Dir["#{__dir__}/*/#{name}.so"].map { |found| File.basename(File.dirname(found)) }.sort
      raise LoadError, "%<feature>s is compiled for Ruby #{rubies.join(", ")}, not for #{RUBY_VERSION}\n" \
                       "hint: gem uninstall %<gem>s, then gem install %<gem>s --platform ruby"
    end
    require path
  RUBY

  # gem: "spate". feature: "spate/native/boot".
  def initialize(gem, feature)
    @gem = gem
    @feature = feature
  end

  def to_s = format(TEMPLATE, gem: @gem, feature: @feature, name: File.basename(@feature))
end
