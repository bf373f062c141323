# frozen_string_literal: true

module GemEras
  # A complete text for each writer.
  module Whole
    # RubyGems 0.8 to 1.2 with Syck: a space after each key without a value, time zones, Gem::Version::Requirement.
    SYCK_2006 = <<~YAML.gsub(/(:|Gem::\w+|Requirement)$/) { "#{$1} " }
      --- !ruby/object:Gem::Specification
      rubygems_version: 0.9.0
      specification_version: 1
      name: NAME
      version: !ruby/object:Gem::Version
        version: "1.0"
      date: 2006-04-03 00:00:00 -04:00
      summary: Builders for MarkUp.
      require_paths:
      - lib
      email: jim@example.test
      homepage: http://example.test
      rubyforge_project:
      description: "Simple to do.  Supported:  * XML Markup * XML Events: \\"both\\""
      autorequire: builder
      default_executable: run
      bindir: bin
      has_rdoc: true
      required_ruby_version: !ruby/object:Gem::Version::Requirement
        requirements:
        - - ">"
          - !ruby/object:Gem::Version
            version: 0.0.0
        version:
      platform: ruby
      signing_key:
      cert_chain:
      post_install_message:
      authors:
      - Jim Weirich
      files:
      - lib/a.rb
      - bin/run
      test_files: []
      rdoc_options:
      - --title
      - Builder -- Easy XML Building
      - --main
      extra_rdoc_files:
      - README
      executables:
      - run
      extensions: []
      requirements: []
      dependencies:
      - !ruby/object:Gem::Dependency
        name: needed
        version_requirement:
        version_requirements: !ruby/object:Gem::Version::Requirement
          requirements:
          - - ">="
            - !ruby/object:Gem::Version
              version: 0.2.9
          version:
    YAML

    # RubyGems 1.3 with Syck: hashes and segments of versions, anchors for repeated objects, types of dependencies.
    SYCK_2010 = <<~YAML.gsub(/(:|Gem::\w+)$/) { "#{$1} " }
      --- !ruby/object:Gem::Specification
      name: NAME
      version: !ruby/object:Gem::Version
        hash: 15
        prerelease: false
        segments:
        - 1
        - 0
        version: "1.0"
      platform: ruby
      authors:
      - "J\\xC3\\xBCrgen"
      - |-
        two
        lines
      autorequire:
      bindir: bin
      cert_chain: []

      date: 2010-07-16 00:00:00 +02:00
      default_executable: run
      dependencies:
      - !ruby/object:Gem::Dependency
        name: needed
        prerelease: false
        requirement: &id001 !ruby/object:Gem::Requirement
          none: false
          requirements:
          - - ">="
            - !ruby/object:Gem::Version
              hash: 3
              segments:
              - 0
              version: "0"
        type: :runtime
        version_requirements: *id001
      - !ruby/object:Gem::Dependency
        name: unneeded
        prerelease: false
        requirement: &id002 !ruby/object:Gem::Requirement
          none: false
          requirements:
          - - ~>
            - !ruby/object:Gem::Version
              hash: 27
              segments:
              - 1
              - 3
              - 0
              version: 1.3.0
        type: :development
        version_requirements: *id002
      description: |
        A text of
          several lines

        and a gap
      email:
      - a@example.test
      executables:
      - run
      extensions: []

      extra_rdoc_files: []

      files:
      - lib/a.rb
      - bin/run
      has_rdoc: true
      homepage: http://example.test
      licenses: []

      post_install_message:
      rdoc_options:
      - --charset=UTF-8
      require_paths:
      - lib
      required_ruby_version: &id003 !ruby/object:Gem::Requirement
        none: false
        requirements:
        - - ">="
          - !ruby/object:Gem::Version
            hash: 3
            segments:
            - 0
            version: "0"
      required_rubygems_version: *id003
      requirements: []

      rubyforge_project: "[none]"
      rubygems_version: 1.3.7
      signing_key:
      specification_version: 3
      summary: "a: b"
      test_files: []

    YAML

    # RubyGems 1.8 with the Psych of Ruby 1.9.2 and 1.9.3: tagged strings, numbers as anchors, a date without a space.
    PSYCH_2012 = <<~YAML
      --- !ruby/object:Gem::Specification
      name: NAME
      version: !ruby/object:Gem::Version
        version: '1.0'
        prerelease:
      platform: ruby
      authors:
      - Ann
      autorequire:
      bindir: bin
      cert_chain: []
      date: 2012-01-09 00:00:00.000000000Z
      dependencies:
      - !ruby/object:Gem::Dependency
        name: needed
        requirement: &70154898013400 !ruby/object:Gem::Requirement
          none: false
          requirements:
          - - ! '>='
            - !ruby/object:Gem::Version
              version: '0'
        type: :runtime
        prerelease: false
        version_requirements: *70154898013400
      description: ! 'It''s

        marked'
      email: ann@example.test
      executables:
      - run
      extensions: []
      extra_rdoc_files: []
      files:
      - lib/a.rb
      - !binary |-
        YmluL3J1bg==
      homepage: !!null
      licenses: []
      post_install_message:
      rdoc_options: []
      require_paths:
      - lib
      required_ruby_version: !ruby/object:Gem::Requirement
        none: false
        requirements:
        - - ! '>='
          - !ruby/object:Gem::Version
            version: '0'
      required_rubygems_version: !ruby/object:Gem::Requirement
        none: false
        requirements:
        - - ! '>='
          - !ruby/object:Gem::Version
            version: '0'
            segments:
            - 0
            hash: -1496127340475391871
      requirements: []
      rubyforge_project:
      rubygems_version: 1.8.11
      signing_key:
      specification_version: 3
      summary: ! '%w: marked'
      test_files: []
      has_rdoc:
    YAML

    # Like PSYCH_2012, but written by JRuby and Ruby 1.9.3 for strings without a known encoding: Base64 in any
    # attribute.
    BINARY_2013 = <<~YAML
      --- !ruby/object:Gem::Specification
      name: NAME
      version: !ruby/object:Gem::Version
        version: !binary |-
          MS4w
        prerelease:
      platform: ruby
      authors:
      - !binary |-
        SsO8cmdlbg==
      autorequire:
      bindir: !binary |-
        Ymlu
      cert_chain: []
      date: 2013-04-10 00:00:00.000000000 Z
      dependencies:
      - !ruby/object:Gem::Dependency
        name: needed
        version_requirements: !ruby/object:Gem::Requirement
          requirements:
          - - ">="
            - !ruby/object:Gem::Version
              version: !binary |-
                MA==
          none: false
        requirement: !ruby/object:Gem::Requirement
          requirements:
          - - ">="
            - !ruby/object:Gem::Version
              version: !binary |-
                MA==
          none: false
        prerelease: false
        type: :runtime
      description: An honest gem
      email:
      - a@example.test
      executables:
      - !binary |-
        cnVu
      extensions: []
      extra_rdoc_files: []
      files:
      - !binary |-
        YmluL3J1bg==
      - lib/a.rb
      homepage: http://example.test
      licenses:
      - MIT
      post_install_message: !binary |-
        R3LDvMOfZQ==
      rdoc_options: []
      require_paths:
      - !binary |-
        bGli
      required_ruby_version: !ruby/object:Gem::Requirement
        requirements:
        - - ">="
          - !ruby/object:Gem::Version
            segments:
            - 0
            version: !binary |-
              MA==
            hash: 2
        none: false
      required_rubygems_version: !ruby/object:Gem::Requirement
        requirements:
        - - ! '>='
          - !ruby/object:Gem::Version
            version: !binary |-
              MA==
        none: false
      requirements: []
      rubyforge_project:
      rubygems_version: 1.8.24
      signing_key:
      specification_version: 3
      summary: !binary |-
        QSBnZW0=
      test_files: []
    YAML

    module_function

    def all
      { "syck-2006" => SYCK_2006, "syck-2010" => SYCK_2010, "psych-2012" => PSYCH_2012,
        "binary-2013" => BINARY_2013 }
        .to_h { |name, text| [name, text.sub("name: NAME", "name: #{name}")] }
    end
  end
end
