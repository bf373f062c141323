# frozen_string_literal: true

require "test_helper"

# The RBS files must match the code: each constant, class and method exists and accepts these parameters, and each
# public method of a class has a signature.
class SignaturesTest < Minitest::Test
  ROOT = File.expand_path("../..", __dir__)
  # Methods of every object, and methods with JavaScript's names, such as getInt8.
  UNSIGNED = /\A(?:==|eql\?|hash|inspect|freeze|marshal_\w+|[a-z]\w*[A-Z]\w*)\z/
  # Defined by method_missing, if the IO has the method.
  DYNAMIC = ["Spate::Zlib::GzipFile: path is missing"].freeze

  # Classes whose public methods all belong to the API.
  ALL_PUBLIC = /\ASpate::(?!Server|Boot|Gemfile|CompileCache|CLI|Store|Lockfile|Plan|Package|Platform)/

  def setup
    super
    require "rbs"
    $LOAD_PATH.push("#{ROOT}/bytes/lib", "#{ROOT}/server/lib")
    %w[spate/bytes spate/zlib spate/zlib/global spate/server].each { |feature| require feature }
  rescue LoadError => e
    raise unless e.path == "rbs"

    skip "no gem rbs for this Ruby"
  end

  %w[sig/spate.rbs bytes/sig/bytes.rbs bytes/sig/zlib.rbs server/sig/server.rbs].each do |path|
    define_method("test_#{path}") do
      declared = declarations(path)

      assert_operator declared.size, :>, 5
      assert_empty(declared.flat_map { |owner, declaration| Agreement.new(owner, declaration).faults } - DYNAMIC)
    end
  end

  def test_a_wrong_signature_is_a_fault
    declared = parse("class Comparable::Wrong\n  def call: (String text, ?mode: Integer) -> void\n  X: Integer\nend")
    owner = Class.new { def call(text, other); end }
    owner.class_eval { def more; end }
    faults = Agreement.new(owner, declared.first).faults.join("\n")

    assert_match(/call: text, mode:\? is declared, text, other is taken/, faults)
    assert_match(/X is missing/, faults)
    assert_match(/more has no signature/, faults)
  end

  private

  # [[Module, declaration]], including nested ones.
  def declarations(path, owner = Object, list = parse(File.read("#{ROOT}/#{path}", encoding: "UTF-8")))
    list.grep(RBS::AST::Declarations::Class).concat(list.grep(RBS::AST::Declarations::Module)).flat_map do |declaration|
      inner = owner.const_get(declaration.name.to_s)
      [[inner, declaration], *declarations(path, inner, declaration.members)]
    end
  end

  # The declarations in a text. RBS 3 also returns the source and directives.
  def parse(text)
    parsed = RBS::Parser.parse_signature(text)
    parsed.last.is_a?(Array) ? parsed.last : parsed
  end

  # Compares a class or module with its signatures. `faults` are the differences as texts.
  class Agreement
    def initialize(owner, declaration)
      @owner = owner
      @members = declaration.members
      @superclass = declaration.super_class&.name&.to_s if declaration.respond_to?(:super_class)
    end

    def faults
      methods = @members.grep(RBS::AST::Members::MethodDefinition)
      [*superclass, *constants, *attributes, *methods.filter_map { |member| method(member) }, *unsigned]
    end

    private

    def superclass
      return if @superclass.nil? || @owner.superclass.name.end_with?(@superclass)

      ["#{@owner} inherits from #{@owner.superclass}, not #{@superclass}"]
    end

    def constants
      @members.grep(RBS::AST::Declarations::Constant).reject { |constant| @owner.const_defined?(constant.name.to_s) }
              .map { |constant| "#{@owner}::#{constant.name} is missing" }
    end

    def attributes
      readers = @members.grep(RBS::AST::Members::AttrReader)
      (readers + @members.grep(RBS::AST::Members::Alias)).filter_map do |member|
        name = member.respond_to?(:new_name) ? member.new_name : member.name
        "#{@owner}##{name} is missing" unless @owner.method_defined?(name)
      end
    end

    def method(member)
      method = find(member) or return "#{@owner}: #{member.name} is missing"
      return if method.parameters == [[:rest]] # C decides

      taken = taken(method.parameters)
      overloads = overloads(member).map { |overload| declared(overload.type) }
      return if agree?(overloads, taken)

      "#{@owner}: #{member.name}: #{overloads.max_by(&:size).join(", ")} is declared, #{taken.join(", ")} is taken"
    end

    # Checks overloads together: each may declare only some parameters, or require an optional one.
    def agree?(overloads, taken)
      longest = overloads.max_by(&:size)
      return longest.size == taken.size if taken.any? && taken.all?("") # C

      longest == taken || (overloads.size > 1 && longest.size == taken.size && (taken - overloads.flatten).empty?)
    end

    # The parameters in Ruby: ["text", "other?", "*rest", "mode:?", "**options"]. Required parameters of C have no name.
    def taken(parameters)
      parameters.reject { |kind, _| kind == :block }.map do |kind, name|
        case kind
        when :req then name.to_s
        when :opt then "#{name}?"
        when :rest then "*#{name}"
        when :keyreq then "#{name}:"
        when :key then "#{name}:?"
        when :keyrest then "**#{name}"
        end
      end
    end

    def declared(type)
      [*type.required_positionals.map { |parameter| parameter.name.to_s },
       *type.optional_positionals.map { |parameter| "#{parameter.name}?" },
       *("*#{type.rest_positionals.name}" if type.rest_positionals),
       *type.required_keywords.keys.map { |name| "#{name}:" },
       *type.optional_keywords.keys.map { |name| "#{name}:?" },
       *("**#{type.rest_keywords.name}" if type.rest_keywords)]
    end

    def overloads(member) = member.respond_to?(:overloads) ? member.overloads.map(&:method_type) : member.types

    def find(member)
      member.singleton? ? @owner.method(member.name) : @owner.instance_method(member.name)
    rescue NameError
      nil
    end

    # Public methods without a signature. For other classes, YARD marks internal methods, see
    # test/house/api_docs_test.rb.
    def unsigned
      return [] unless @owner.name.nil? || ALL_PUBLIC.match?(@owner.name)

      (@owner.public_instance_methods(false) + @owner.singleton_class.public_instance_methods(false) - known)
        .grep_v(UNSIGNED).reject { |name| inherited?(name) }.map { |name| "#{@owner}: #{name} has no signature" }
    end

    def known
      signed = @members.grep_v(RBS::AST::Members::Alias).select { |member| member.respond_to?(:name) }
      signed.flat_map { |member| [member.name, :"#{member.name}="] } +
        @members.grep(RBS::AST::Members::Alias).map(&:new_name)
    end

    def inherited?(name) = @owner.is_a?(Class) && @owner.superclass.method_defined?(name)
  end
end
