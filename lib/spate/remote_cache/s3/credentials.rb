# frozen_string_literal: true

require "timeout"

module Spate
  module RemoteCache
    class S3
      # An access key: its ID and secret, and a token if it is temporary. expires: Time, or nil.
      #
      #   Chain           the providers, in the same order as in AWS' tools
      #   Cache           caches the credentials found by the chain, until they are about to expire
      #   ConfigProfile   a profile of ~/.aws/config and ~/.aws/credentials
      #   Program         runs a credential_process
      Credentials = Struct.new(:id, :secret, :token, :expires) do
        # Parses the JSON of container roles, instance roles and credential_process. Returns nil for other text.
        def self.from_json(text)
          require "json"
          facts = JSON.parse(text)
          return unless facts.is_a?(Hash)

          checked(*facts.values_at("AccessKeyId", "SecretAccessKey"), facts["Token"] || facts["SessionToken"],
                  facts["Expiration"])
        rescue JSON::ParserError
          nil
        end

        # Parses a response of STS.
        def self.from_xml(text)
          checked(*%w[AccessKeyId SecretAccessKey SessionToken Expiration].map { |name| XML.value(text, name) })
        end

        # Rejects values other than printable text without spaces, since a different program may have responded.
        def self.checked(*facts)
          id, secret, token, expires = facts.map { |fact| fact if fact.is_a?(String) && fact.b.match?(/\A[!-~]+\z/) }
          new(id, secret, token, time(expires)) if id && secret
        end

        # An invalid time is treated as expired, so that the provider is queried again.
        def self.time(text)
          return unless text

          require "time"
          Time.iso8601(text)
        rescue ArgumentError
          Time.now
        end
        private_class_method :checked, :time

        # Whether the credentials are valid for at least `seconds` more.
        def valid?(seconds = 0) = expires.nil? || expires > Time.now + seconds

        def inspect = "#<#{self.class} #{id}>"
      end

      class Credentials
        # Caches the credentials for one cache. They are looked up on first use and renewed before they expire.
        # Thread-safe.
        class Cache
          # Credentials are renewed this many seconds before they expire.
          MARGIN = 300
          private_constant :MARGIN

          # chain: Chain.
          def initialize(address, chain)
            @address = address
            @chain = chain
            @known = false
            @failures = 0
            @mutex = Mutex.new
          end

          # The Credentials, or nil if there are none; requests are then not signed. Raises Unavailable. If a lookup
          # fails, threads that waited for it raise the same error, so that a slow failure happens only once.
          def get
            before = @failures
            @mutex.synchronize do
              raise @failure if @failures != before

              renew unless @known && (@found.nil? || @found.valid?(MARGIN))
              @found
            end
          end

          # Discards the credentials, so that the next #get renews them, unless another thread has already done so.
          def expire(credentials)
            @mutex.synchronize { @known = false if @found.equal?(credentials) }
            true
          end

          private

          def renew
            @found = @chain.find
            @known = true
          rescue Unavailable => e
            return if @found&.valid?

            fact = e.message.delete_prefix("the cache #{@address} ").delete_prefix("the cache ")
            @failures += 1
            raise @failure = Unavailable.new(e.reason, @address, "has no credentials: #{fact}", hint: e.hint)
          end
        end

        # The providers in the same order as in AWS' tools: environment, web identity, shared files, the container's
        # role, the machine's role. Later lookups only query the provider that had credentials in the first lookup.
        class Chain
          ORDER = %i[environment web_identity shared_files container instance].freeze
          SINGLE_SIGN_ON = "aws configure export-credentials --profile %s --format process"
          private_constant :ORDER, :SINGLE_SIGN_ON

          # If the address has the option `profile`, uses only this profile.
          def initialize(env:, profile:, place:, requests:)
            @env = env
            @profile = profile
            @roles = Roles.new(env: env, place: place, requests: requests)
            @order = profile.asked_by_address? ? [:shared_files] : ORDER
          end

          # Credentials, or nil if no provider is configured. Raises Unavailable if a configured provider fails.
          def find
            return send(@chosen) if @chosen

            @order.each do |name|
              found = send(name) or next
              @chosen = name
              return found
            end
            nil
          end

          private

          def environment
            names = %w[AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN]
            id, secret, token = names.map { |name| variable(name) }
            return Credentials.new(id, secret, token) if id && secret
            return unless id || secret

            @profile.refuse("has an incomplete key: AWS_ACCESS_KEY_ID or AWS_SECRET_ACCESS_KEY is not set",
                            "set both, or none")
          end

          def web_identity
            file, role = %w[AWS_WEB_IDENTITY_TOKEN_FILE AWS_ROLE_ARN].map { |name| variable(name) }
            @roles.for_web_identity(file, role, variable("AWS_ROLE_SESSION_NAME")) if file && role
          end

          # seen: names of the profiles whose role is being assumed.
          def shared_files(profile = @profile, seen = [])
            role = profile["role_arn"] unless seen.include?(profile.name)
            return profile["credential_process"] ? process(profile) : static(profile) unless role

            session = profile["role_session_name"]
            file = profile["web_identity_token_file"]
            return @roles.for_web_identity(file, role, session) if file

            @roles.assume(source_of(profile, seen + [profile.name]), role, session, profile["external_id"])
          end

          # The credentials with which the role of a profile is assumed.
          def source_of(profile, seen)
            name = profile["source_profile"]
            found = case profile["credential_source"]
                    when "Environment" then environment
                    when "EcsContainer" then container
                    when "Ec2InstanceMetadata" then instance
                    else name && shared_files(profile.other(name), seen)
                    end
            found || profile.refuse("cannot assume the role of profile #{profile.name}, which has no credentials",
                                    "add source_profile with the name of a profile that has credentials")
          end

          def static(profile)
            id, secret = %w[aws_access_key_id aws_secret_access_key].map { |key| profile[key] }
            return Credentials.new(id, secret, profile["aws_session_token"]) if id && secret
            return unless profile["sso_session"] || profile["sso_start_url"]

            profile.refuse("uses the profile #{profile.name}, which needs a sign-in in a browser",
                           "credential_process = #{format(SINGLE_SIGN_ON, profile.name)}")
          end

          def process(profile)
            require "shellwords"
            output = Program.output(@env, profile["credential_process"].shellsplit)
            Credentials.from_json(output) || raise(ArgumentError, "it printed no credentials")
          rescue SystemCallError, ArgumentError => e
            profile.refuse("has no credentials from the credential_process of profile #{profile.name}: #{e.message}",
                           "run the command yourself to see its output")
          end

          def container = @roles.container
          def instance = @roles.instance

          def variable(name)
            value = @env[name]
            value unless value.nil? || value.empty?
          end
        end

        # A profile in the shared files of AWS' tools: ~/.aws/credentials, and ~/.aws/config, whose sections have names
        # such as "profile NAME".
        class ConfigProfile
          SECTION = /\A\[\s*(?:profile\s+)?(.+?)\s*\]/
          # Ignores indented lines, which are nested settings (below "s3 =").
          ENTRY = /\A(\w+)\s*=\s*(.*?)(?:\s[#;].*)?\s*\z/
          private_constant :SECTION, :ENTRY

          # The profile named by the address' option `profile`, or else by AWS_PROFILE. Raises Unavailable if no file
          # contains it.
          def self.load(env, address)
            home = env["HOME"].to_s
            files = { "AWS_CONFIG_FILE" => "config", "AWS_SHARED_CREDENTIALS_FILE" => "credentials" }
            files = files.map { |variable, name| env[variable] || "#{home}/.aws/#{name}" }
            sections = files.map { |path| read(path) }.reduce { |one, other| one.merge(other) { |_, a, b| a.merge(b) } }
            asked = [address.options["profile"], env["AWS_PROFILE"]].find { |name| name && !name.empty? }
            new(asked || "default", sections, address).tap { |profile| profile.check if asked }
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

          def initialize(name, sections, address)
            @name = name
            @sections = sections
            @address = address
          end

          def [](key) = @sections.dig(@name, key)
          def other(name) = ConfigProfile.new(name, @sections, @address).tap(&:check)
          def asked_by_address? = @address.options.key?("profile")

          def check
            return if @sections.key?(@name)

            refuse("names the profile #{@name}, which is not defined", "add it to ~/.aws/config, or unset AWS_PROFILE")
          end

          def refuse(fact, hint) = raise(Unavailable.new(:credentials, @address, fact, hint: hint))
        end

        # Runs a program that prints credentials. After LIMIT seconds, kills it with all processes that it has started.
        module Program
          LIMIT = 10
          private_constant :LIMIT

          # Returns the program's output. words: the program and its arguments; no shell is used. Raises SystemCallError
          # if the program cannot be started, ArgumentError if it fails.
          def self.output(env, words, limit: LIMIT)
            output, input = IO.pipe
            pid = Process.spawn(env, *words, in: File::NULL, out: input, pgroup: true)
            input.close
            waiter = Process.detach(pid)
            text, status = Timeout.timeout(limit) { [output.read, waiter.value] }
            status.success? ? text : raise(ArgumentError, "it exited with #{status.exitstatus || status.to_s}")
          rescue Timeout::Error
            raise ArgumentError, "it did not end within #{limit} seconds"
          ensure
            kill(pid, waiter) if waiter && !status
            [output, input].each(&:close)
          end

          def self.kill(pid, waiter)
            Process.kill(:KILL, -pid)
          rescue Errno::ESRCH
            nil # the process has left its group
          ensure
            waiter.join
          end
          private_class_method :kill
        end
      end
    end
  end
end
