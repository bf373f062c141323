# frozen_string_literal: true

module GemEras
  # Metadata with one unusual value at a time.
  module Odd
    ANY = "!ruby/object:Gem::Requirement\n  requirements:\n  - - '>='\n    - !ruby/object:Gem::Version\n" \
          "      version: '0'"
    PLAIN = {
      "name" => nil, "version" => "!ruby/object:Gem::Version\n  version: '1.0'", "platform" => "ruby",
      "authors" => "\n- Ann", "bindir" => "bin", "cert_chain" => "[]", "date" => "2014-05-06 00:00:00.000000000 Z",
      "dependencies" => "[]", "executables" => "[]", "extensions" => "[]", "extra_rdoc_files" => "[]",
      "files" => "\n- lib/a.rb", "require_paths" => "\n- lib", "required_ruby_version" => ANY,
      "required_rubygems_version" => ANY, "rubygems_version" => "2.2.0", "specification_version" => "4",
      "summary" => "nothing"
    }.freeze

    # Values for each attribute.
    SCALARS = {
      "null" => "!!null", "tilde" => "~", "nothing" => "", "number" => "12", "decimal" => "1.5", "flag" => "yes",
      "string" => "!str a text", "core-string" => "!!str 12", "yaml-org" => "!tag:yaml.org,2002:str x",
      "folded" => ">\n  two\n  lines\n\n  gap", "folded-kept" => ">+\n  text\n\n", "literal" => "|2-\n    in\n  out",
      "single" => "'it''s\n\n  broken'", "escapes" => "\"\\x41\\u00e9\\U0001F600\\t\\\n  \\ x\"",
      "base64" => "!binary |\n  R3LDvMOfZQ==\n", "latin1" => "!binary |-\n  R3L8/2U=", "flow" => "[a, 'b', {c: d}]",
      "map" => "{a: b}", "day" => "2001-02-03", "time" => "2001-02-03 04:05:06.7 +08:00", "octal" => "0o17",
      "infinite" => ".inf", "symbol" => ":runtime", "odd-symbol" => ":anything", "marked" => "! 'x'",
      "comment" => "text # no more", "anchor" => "&a text", "wide" => "\u00fc \u2028 \u{1F600}", "tab" => "a\tb",
      "set" => "!!set {a, b}", "float-tag" => "!!float 1", "object" => "!ruby/object:Object {}",
      "struct" => "!ruby/struct:Struct\n  a: b", "regexp" => "!ruby/regexp /a/", "range" => "!ruby/range 1..2",
      "foreign" => "!ruby/object:OpenStruct\n  a: b", "class" => "!ruby/class 'String'", "unknown" => "!unknown x"
    }.freeze
    PLACES = %w[summary description post_install_message homepage].freeze
    LISTS = %w[authors executables extra_rdoc_files licenses require_paths rdoc_options files].freeze

    DATES = ["2014-05-06", "2014-05-06 00:00:00 -04:00", "2014-05-06T23:59:59Z", "2014-05-06 00:00:00.000000000Z",
             "2014-05-06 00:00:00 Z", "2014-05-06 23:00:00.5 -05:00", "'2014-05-06'", "! '2014-05-06'", "\"May 2014\"",
             "", "!!null", "1399334400", "2014", "0000-01-01", "9999-99-99", "[]", "2014-5-6", "1970-01-01 00:00:00 Z",
             "!binary |-\n  MjAxNC0wNS0wNg==", "!ruby/object:Date\n  ajd: 1", "!timestamp 2014-05-06",
             "!timestamp '2014-05-06 01:02:03'", "1969-12-31 23:59:59 +14:00"].freeze
    VERSIONS = ["'1.0'", "1.0", "!str 1.0", "! '1.0'", "!binary |-\n    MS4w", "\"1.0\"\n  prerelease: false",
                "'1.0'\n  hash: 15\n  segments:\n  - 1\n  - 0", "'1.0'\n  anything: at all", "|-\n    1.0",
                "' 1.0 '", "1", "[]", "'bad version'", "'1.0'\n  version: '1.0'"].freeze
    PLATFORMS = ["", "!!null", "''", "Ruby", "java", "mswin32", "x86-linux",
                 "!ruby/object:Gem::Platform\n  cpu: x86\n  os: linux\n  version:", "!binary |-\n  cnVieQ==", "12",
                 "i686-darwin8.10.1", "[x86, linux]"].freeze
    REQUIREMENTS = [
      "", "'>= 0'", "!ruby/object:Gem::Version\n  version: '1.8'", "12", "[]", "{}",
      "!ruby/object:Gem::Version::Requirement\n  requirements:\n  - - '>'\n    - !ruby/object:Gem::Version\n" \
      "      version: 0.0.0\n  version:",
      "!ruby/object:Gem::Requirement\n  requirements: []\n", "!ruby/object:Gem::Requirement\n  requirements:\n",
      "!ruby/object:Gem::Requirement {}", "!ruby/object:Gem::Requirement\n  none: true",
      "!ruby/object:Gem::Requirement\n  requirements:\n  - - '>='\n    - '1.8'",
      "!ruby/object:Gem::Requirement\n  requirements:\n  - - '>='\n    - !ruby/object:Gem::Version\n      version: 0",
      "!ruby/object:Gem::Requirement\n  requirements:\n  - - '>='\n    - !ruby/object:Gem::Version\n      version:",
      "!ruby/object:Gem::Requirement\n  requirements:\n  - '>= 1.8'",
      "!ruby/object:Gem::Requirement\n  requirements:\n  - - !ruby/object:Syck::DefaultKey {}\n\n" \
      "    - !ruby/object:Gem::Version\n      version: '1.8'",
      "!ruby/object:Gem::Requirement\n  requirements:\n  - - '=='\n    - !ruby/object:Gem::Version\n      version: '1'",
      "!ruby/object:Gem::Requirement\n  version: '1'\n  none:\n  requirements:\n  - - ! '>='\n" \
      "    - &9 !ruby/object:Gem::Version\n      version: '0'\n  - - ! '!='\n    - *9",
      "!ruby/object:Gem::Requirement\n  requirements:\n  - - '>='\n    - !ruby/object:Gem::Version\n" \
      "      version: '1.8'\n  - - '<'\n    - !ruby/object:Gem::Version\n      version: 99.a\n"
    ].freeze
    DEPENDENCIES = [
      "", "{}", "[x]", "[[]]", "[~]", "[12]",
      "\n- !ruby/object:Gem::Dependency\n  name: needed\n  type: :runtime\n  requirement: #{ANY.gsub("\n", "\n  ")}",
      "\n- !ruby/object:Gem::Dependency\n  name: needed\n  version_requirement:\n" \
      "  version_requirements: #{ANY.gsub("\n", "\n  ")}",
      "\n- !ruby/object:Gem::Dependency\n  name: needed\n  type: :runtime\n  requirement:\n  version_requirements:",
      "\n- !ruby/object:Gem::Dependency\n  name: unneeded\n  type: :development\n",
      "\n- !ruby/object:Gem::Dependency\n  name: unneeded\n  type: :other\n",
      "\n- !ruby/object:Gem::Dependency\n  name: unneeded\n  type: development\n",
      "\n- !ruby/object:Gem::Dependency\n  name: !binary |-\n    dW5uZWVkZWQ=\n  type: :development\n" \
      "  requirement: #{ANY.gsub("\n", "\n  ")}\n  prerelease: true\n  groups: []",
      "\n- !ruby/object:Gem::Dependency\n  name: \"a\\nb\"\n  type: :development\n" \
      "  requirement: #{ANY.gsub("\n", "\n  ")}"
    ].freeze
    OTHERS = {
      "executables" => ["[]", "['']", "[run]", "[run, gone]", "[., gone/gone]", "[sub/run]", "[~]", "run",
                        "{run: run}", "\n- !binary |-\n  cnVu", "[\"r\\nn\"]", "[../bin/run]"],
      "require_paths" => ["", "[]", "lib", "[lib, .]", "[[lib]]", "[1]", "[~]", "\n- !binary |-\n  bGli", "[\"a\\nb\"]",
                          "{}", "['']"],
      "extensions" => ["", "{}", "[\"a\\nb\"]"],
      "bindir" => ["", "''", ".", "./bin/", "!binary |-\n  Ymlu", "12", "[bin]"],
      "cert_chain" => ["", "[]", "\n- |\n  -----BEGIN CERTIFICATE-----\n  AAAA\n", "[a, b]"],
      "specification_version" => ["", "'3'", "3", "x", "-1"], "rubygems_version" => ["", "1.0", "!binary |-\n  MS4w"],
      "name" => ["", "12", "!binary |-\n  bmFtZQ==", "'a b'", "a/b"], "email" => ["[a, ~]", "[[a]]", ""],
      "authors" => ["Ann", "", "[~]", "[[Ann]]", "{Ann: Bob}", "\n- &a [x, y]\n- *a"],
      "licenses" => ["MIT", "[~]"], "license" => ["MIT"], "metadata" => ["", "{a: b}", "{a: 1}", "{1: ~}", "[]", "x"],
      "anything" => ["at all", "[1]"], "hash" => ["12"], "loaded" => ["true"],
      "test_files" => ["", "[~]", "x", "{a: b}"],
      "files" => ["", "x", "[~, 1]", "\n- a: b", "\n- &f x\n- *f", "\n- 2001-01-01", "\n- :symbol", "\n- \"\\xE9\"",
                  "\n- !binary |-\n  6Q==", "\n- \"\\q\"", "\n- !ruby/object:Object {}", "{}"],
      "installed_by_version" => ["'1.0'"], "original_platform" => ["java"], "new_platform" => ["java"],
      "activated" => ["true"], "test_suite_file" => ["x"], "has_rdoc" => ["'yes'"], "signing_key" => ["x"]
    }.freeze

    module_function

    # The name of the text with these changes.
    def name_of(changes) = "odd-#{cases.index(changes)}"

    def all
      cases.each_with_index.to_h do |changes, index|
        name = "odd-#{index}"
        [name, metadata(name, changes)]
      end.merge(texts)
    end

    def cases
      scalars = SCALARS.values
      versions = VERSIONS.map { |text| "!ruby/object:Gem::Version\n  version: #{text}" }
      values = { "date" => DATES, "platform" => PLATFORMS, "required_ruby_version" => REQUIREMENTS,
                 "required_rubygems_version" => REQUIREMENTS, "dependencies" => DEPENDENCIES, "version" => versions }
      texts = PLACES.to_h { |key| [key, scalars] }
      lists = LISTS.to_h { |key| [key, scalars.map { |value| "\n- #{value}" }] }
      [values, texts, lists, OTHERS, PLAIN.transform_values { [:none] }]
        .flat_map { |group| group.flat_map { |key, each| each.map { |value| { key => value } } } }
    end

    def metadata(name, changes)
      lines = PLAIN.merge("name" => name).merge(changes).reject { |_, value| value == :none }
      "--- !ruby/object:Gem::Specification\n#{lines.map { |key, value| "#{key}: #{value}\n" }.join}"
    end

    # Lambdas that change the text outside of the attributes.
    def texts
      { "no-head" => ->(text) { text.sub("--- ", "") }, "blank-head" => ->(text) { text.sub("\n", " \n") },
        "two" => ->(text) { "#{text}--- !ruby/object:Object {}\n" }, "ended" => ->(text) { "#{text}...\n" },
        "crlf" => ->(text) { text.gsub("\n", "\r\n") }, "mark" => ->(text) { "\uFEFF#{text}" },
        "broken" => ->(text) { "#{text}description: \"Gr\xFC\"\n" }, "nul" => ->(text) { "#{text}homepage: a\0b\n" },
        "directive" => ->(text) { "%YAML 1.1\n#{text}" }, "no-tag" => ->(text) { text.sub(/ !ruby.*/, "") },
        "other-tag" => ->(text) { text.sub("Gem::Specification", "Gem::Requirement") },
        "indented" => ->(text) { text.gsub(/^(?!---)/, "  ") }, "flow" => ->(text) { flow(text) },
        "twice" => ->(text) { "#{text}summary: again\n" },
        "odd-key" => ->(text) { "#{text}a b: c\n\"d\": e\n? f\n: g\n" },
        "merge" => ->(text) { "#{text}<<: {description: merged}\n" }, "private" => ->(text) { "#{text}_x: 1\n" },
        "no-variable" => ->(text) { "#{text}a-b: 1\n" }, "tabs" => ->(text) { "#{text}homepage:\tx\n" } }
        .to_h { |name, change| ["text-#{name}", change.call(metadata("text-#{name}", {}))] }
    end

    def flow(text)
      "--- !ruby/object:Gem::Specification {name: #{text[/^name: (.*)/, 1]}, " \
        "version: !ruby/object:Gem::Version {version: '1.0'}, summary: s, authors: [a]}\n"
    end
  end
end
