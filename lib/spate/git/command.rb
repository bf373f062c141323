# frozen_string_literal: true

require "open3"

module Spate
  module Git
    # Runs git for one repository, in a clean environment and with the credentials from the settings. Credentials are
    # removed from all error messages.
    class Command
      # Variables that git sets for hooks and aliases. They are removed, so that git does not use the outer repository.
      OUTER = %w[GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES
                 GIT_COMMON_DIR GIT_PREFIX GIT_NAMESPACE GIT_SHALLOW_FILE].freeze
      WEB = %r{\Ahttps?://(?![^/]*@)[^/]+/}i

      # userinfo: "user:password" for the repository's host, or nil.
      def initialize(uri, userinfo: nil, tries: 1, env: ENV.to_h)
        @uri = uri
        @userinfo = userinfo
        @env = env
        @retries = Util::Retries.new(times: tries - 1)
      end

      # Runs git in a folder and returns its output. Raises CommandFailed.
      def run(*arguments, in: nil)
        folder = binding.local_variable_get(:in)
        command = ["git", *(folder ? ["-C", folder] : []), *arguments]
        output, errors, status = Open3.capture3(environment, *command, stdin_data: "")
        return output if status.success?

        raise failure(arguments, redact(errors), status)
      rescue Errno::ENOENT
        raise NotInstalled
      end

      # Like #run, for commands that use the network. Retries temporary failures.
      def run_remote(*arguments, **options) = @retries.run { run(*arguments, **options) }

      # Returns whether git succeeds.
      def ok?(*arguments, **options)
        run(*arguments, **options)
        true
      rescue CommandFailed
        false
      end

      private

      def environment
        variables = OUTER.to_h { |name| [name, nil] }.merge("LC_ALL" => "C")
        prefix = @uri[WEB]
        @userinfo && prefix ? variables.merge(credentials(prefix)) : variables
      end

      # Passes the credentials in the environment, so that the process list and the clone's config file do not contain
      # the password. They also apply to submodules on the same host.
      def credentials(prefix)
        number = @env["GIT_CONFIG_COUNT"].to_i
        { "GIT_CONFIG_COUNT" => (number + 1).to_s,
          "GIT_CONFIG_KEY_#{number}" => "url.#{prefix.sub("://", "://#{@userinfo}@")}.insteadOf",
          "GIT_CONFIG_VALUE_#{number}" => prefix }
      end

      def redact(text)
        text = text.dup.force_encoding(Encoding::UTF_8).scrub
        text = text.gsub("#{@userinfo}@", "") if @userinfo
        Util.redact(text)
      end

      def failure(arguments, errors, status)
        return Spate::Interrupted.new("interrupted") if status.termsig == Signal.list["INT"]

        kind = errors.match?(TemporaryFailure::PATTERN) ? TemporaryFailure : CommandFailed
        kind.new(Names.display(@uri), arguments, errors)
      end
    end
  end
end
