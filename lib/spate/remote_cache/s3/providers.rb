# frozen_string_literal: true

module Spate
  module RemoteCache
    class S3
      # Where credentials are, in the order of AWS' tools: environment, web identity, shared files, the role of the
      # container, that of the machine. The first that has some is asked for all later ones.
      class Providers
        ORDER = %i[environment web_identity shared_files container instance].freeze
        SINGLE_SIGN_ON = "aws configure export-credentials --profile %s --format process"
        private_constant :ORDER, :SINGLE_SIGN_ON

        # An address that names a profile has asked for that alone.
        def initialize(env:, profile:, place:, requests:, order: ORDER)
          @env = env
          @profile = profile
          @tokens = Tokens.new(env: env, place: place, requests: requests)
          @order = profile.asked_by_address? ? [:shared_files] : order
        end

        # Credentials, nil where there are none at all. Raises Unavailable where some are configured that cannot be had.
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

          @profile.refuse("is given half a key: one of AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY is not set",
                          "set both, or none")
        end

        def web_identity
          file, role = %w[AWS_WEB_IDENTITY_TOKEN_FILE AWS_ROLE_ARN].map { |name| variable(name) }
          @tokens.by_web_identity(file, role, variable("AWS_ROLE_SESSION_NAME")) if file && role
        end

        def shared_files(profile = @profile, seen = [])
          role = profile["role_arn"] unless seen.include?(profile.name)
          return profile["credential_process"] ? process(profile) : static(profile) unless role

          session = profile["role_session_name"]
          file = profile["web_identity_token_file"]
          return @tokens.by_web_identity(file, role, session) if file

          @tokens.by_role(source_of(profile, seen + [profile.name]), role, session, profile["external_id"])
        end

        # Who takes a role.
        def source_of(profile, seen)
          name = profile["source_profile"]
          keys = case profile["credential_source"]
                 when "Environment" then environment
                 when "EcsContainer" then container
                 when "Ec2InstanceMetadata" then instance
                 else name && shared_files(profile.other(name), seen)
                 end
          keys || profile.refuse("is to take the role of profile #{profile.name}, and has no keys to do so",
                                 "add source_profile, with the name of a profile that has some, to that one")
        end

        def static(profile)
          id, secret = %w[aws_access_key_id aws_secret_access_key].map { |key| profile[key] }
          return Credentials.new(id, secret, profile["aws_session_token"]) if id && secret
          return unless profile["sso_session"] || profile["sso_start_url"]

          profile.refuse("is given the profile #{profile.name}, which signs on in a browser",
                         "credential_process = #{format(SINGLE_SIGN_ON, profile.name)}")
        end

        # A program prints them. Its words are divided as a shell would.
        def process(profile)
          require "shellwords"
          said = Program.said(@env, profile["credential_process"].shellsplit)
          Credentials.from_json(said) || raise(ArgumentError, "it printed none")
        rescue SystemCallError, ArgumentError => e
          profile.refuse("has no credentials from the credential_process of profile #{profile.name}: #{e.message}",
                         "run that command alone, and see what it says")
        end

        def container = Container.new(@env).keys
        def instance = Instance.new(@env).keys

        def variable(name)
          value = @env[name]
          value unless value.nil? || value.empty?
        end
      end
    end
  end
end
