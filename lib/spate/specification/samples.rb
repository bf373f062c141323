# frozen_string_literal: true

module Spate
  module Specification
    # Artificial gems that cover every attribute of a specification, both set and unset. Dialect uses them to compare
    # the output of RubyGems and Spate.
    module Samples
      # Has the methods of Package that the readers need. yaml: the metadata. first_lines: {executable => its first line
      # or nil}. content_address, platform: only set for a content-addressed gem.
      Sample = Struct.new(:full_name, :yaml, :first_lines, :content_address, :platform)

      BARE = <<~YAML
        --- !ruby/object:Gem::Specification
        name: spate-bare
        version: !ruby/object:Gem::Version
          version: '1.0'
        platform: ruby
        authors: []
        bindir: bin
        cert_chain: []
        date: 2020-02-29 00:00:00.000000000 Z
        dependencies: []
        executables: []
        extensions: []
        extra_rdoc_files: []
        files: []
        require_paths:
        - lib
        required_ruby_version: !ruby/object:Gem::Requirement
          requirements:
          - - ">="
            - !ruby/object:Gem::Version
              version: '0'
        required_rubygems_version: !ruby/object:Gem::Requirement
          requirements:
          - - ">="
            - !ruby/object:Gem::Version
              version: '0'
        requirements: []
        rubygems_version: 2.7.6
        specification_version: 4
        summary: nothing
        test_files: []
      YAML

      FULL = <<~'YAML'
        --- !ruby/object:Gem::Specification
        name: spate.Full_gem
        version: !ruby/object:Gem::Version
          version: 1.2.0.beta3
        platform: x86_64-linux
        authors:
        - Anne O'Nym
        - "J\u00FCrgen \"Q\""
        autorequire:
        bindir: exe
        cert_chain:
        - |
          -----BEGIN CERTIFICATE-----
          AAAA
        date: 1999-12-31 00:00:00.000000000 Z
        dependencies:
        - !ruby/object:Gem::Dependency
          name: one
          requirement: !ruby/object:Gem::Requirement
            requirements:
            - - "~>"
              - !ruby/object:Gem::Version
                version: '2.0'
            - - ">="
              - !ruby/object:Gem::Version
                version: 2.0.1
            - - "!="
              - !ruby/object:Gem::Version
                version: 2.0.3.rc1
          type: :runtime
          prerelease: false
        - !ruby/object:Gem::Dependency
          name: two_and-a.half
          requirement: !ruby/object:Gem::Requirement
            requirements:
            - - ">="
              - !ruby/object:Gem::Version
                version: '0'
          type: :development
          prerelease: true
        description: |2
            first "line" and #{more}

          then more
        email:
        - a@b.test
        - c@d.test
        executables:
        - spate-b
        - spate.a
        extensions:
        - ext/a/extconf.rb
        - Rakefile
        extra_rdoc_files:
        - README.md
        - LICENSE
        files: []
        homepage: ''
        licenses:
        - MIT
        - Ruby
        metadata:
          source_code_uri: b
          changelog: a \ "c"
        post_install_message: "one\ntwo #{x} \e[0m\n"
        rdoc_options:
        - "--main"
        - README.md
        require_paths:
        - lib
        - "."
        required_ruby_version: !ruby/object:Gem::Requirement
          requirements:
          - - ">="
            - !ruby/object:Gem::Version
              version: '1.9'
          - - "<"
            - !ruby/object:Gem::Version
              version: '99'
        required_rubygems_version: !ruby/object:Gem::Requirement
          requirements:
          - - ">"
            - !ruby/object:Gem::Version
              version: 1.3.1
          - - "<"
            - !ruby/object:Gem::Version
              version: '99'
        requirements:
        - a jar
        rubygems_version: 3.5.1
        signing_key:
        specification_version: 3
        summary: a summary of two lines
          and no more
        test_files: []
      YAML

      module_function

      # The samples for a version of RubyGems and of Ruby. Content-addressed gems are not for pre-releases of Ruby.
      def for(rubygems, ruby)
        addressed = ContentAddress.known_to?(rubygems) && !GemVersion.new(ruby).prerelease?
        addressed ? all + [addressed(ruby)] : all
      end

      def all
        [Sample.new("spate-bare-1.0", BARE, {}),
         Sample.new("spate.Full_gem-1.2.0.beta3-x86_64-linux", FULL,
                    { "spate-b" => "#!/usr/bin/env ruby -w\n", "spate.a" => "" })] + variations
      end

      def addressed(ruby)
        only = "required_ruby_version: !ruby/object:Gem::Requirement\n  requirements:\n  - - "
        pinned = FULL.sub(/#{Regexp.escape(only)}">="\n.*?'1.9'\n.*?'99'\n/m,
                          "#{only}\"~>\"\n    - !ruby/object:Gem::Version\n" \
                          "      version: #{ruby[/\A\d+\.\d+/]}.0\n")
        Sample.new("spate.Full_gem-1.2.0.beta3-0123456789", pinned,
                   { "spate-b" => "#!/usr/bin/env ruby -w\n", "spate.a" => "" }, "0123456789", "x86_64-linux")
      end
      private_class_method :addressed

      # A sample with texts that newer RubyGems versions with their own YAML reader read differently from Psych.
      def by_psych
        texts = "summary: 'one\n\n  two'\ndescription: \"a\n  b\"\nhomepage: \u00FC\n" \
                "post_install_message: |\n  \u00FC\n"
        Sample.new("spate-bare-1.0", BARE.sub("summary: nothing", texts), {})
      end

      # Samples with an unusual first line, a missing executable, and few attributes.
      def variations
        runnable = BARE.sub("executables: []", "executables:\n- run\n- gone")
        some = BARE.sub("spate-bare", "spate-some").sub("authors: []", "authors:\n- A\nemail: x@y.test")
                   .sub("requirements: []", "homepage: h\nlicenses: []\nmetadata: {}\nrequirements: []")
                   .sub("version: '0'", "version: 2.5.0")
        [Sample.new("spate-bare-1.0", runnable, { "run" => "#!/bin/sh\n", "gone" => nil }),
         Sample.new("spate-some-1.0", some, {})]
      end
      private_class_method :variations
    end
  end
end
