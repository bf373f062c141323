# frozen_string_literal: true

module Spate
  module RemoteCache
    class S3
      # One profile in the files that AWS' tools share: ~/.aws/credentials, and ~/.aws/config, whose sections are called
      # "profile NAME".
      class SharedFiles
        SECTION = /\A\[\s*(?:profile\s+)?(.+?)\s*\]/
        # Settings of a setting ("s3 =", then indented lines) are none of ours.
        ENTRY = /\A(\w+)\s*=\s*(.*?)(?:\s[#;].*)?\s*\z/
        private_constant :SECTION, :ENTRY

        # address: whose option `profile` outweighs the environment. Raises Unavailable where it names none.
        def self.load(env, address)
          home = env["HOME"].to_s
          files = { "AWS_CONFIG_FILE" => "config", "AWS_SHARED_CREDENTIALS_FILE" => "credentials" }
          files = files.map { |variable, name| env[variable] || "#{home}/.aws/#{name}" }
          sections = files.map { |path| read(path) }.reduce { |one, other| one.merge(other) { |_, a, b| a.merge(b) } }
          asked = [address.options["profile"], env["AWS_PROFILE"]].find { |name| name && !name.empty? }
          new(asked || "default", sections, address).tap { |profile| profile.there! if asked }
        end

        # {profile => {key => value}}
        def self.read(path)
          sections = {}
          section = nil
          File.foreach(path, encoding: "UTF-8", chomp: true) do |line|
            line = line.scrub
            next section = sections[line[SECTION, 1]] ||= {} if line.match?(SECTION)

            key, value = line.match(ENTRY)&.captures
            section[key] = value if section && key
          end
          sections
        rescue SystemCallError
          {}
        end
        private_class_method :read

        attr_reader :name

        def asked_by_address? = @address.options.key?("profile")

        def initialize(name, sections, address)
          @name = name
          @sections = sections
          @address = address
        end

        def [](key) = @sections.dig(@name, key)
        def other(name) = SharedFiles.new(name, @sections, @address).tap(&:there!)

        def there!
          return if @sections.key?(@name)

          refuse("names the profile #{@name}, which is in no file", "add it to ~/.aws/config, or unset AWS_PROFILE")
        end

        def refuse(fact, hint) = raise(Unavailable.new(:credentials, @address, fact, hint: hint))
      end
    end
  end
end
