# frozen_string_literal: true

require "uri"

module Spate
  module RemoteCache
    class S3
      # Credentials of a role for an hour, from AWS' Security Token Service.
      class Tokens
        VERSION = "2011-06-15"
        FORM = "application/x-www-form-urlencoded; charset=utf-8"
        SESSION = "spate"
        private_constant :VERSION, :FORM, :SESSION

        # place: Place, for its region and the service's address.
        def initialize(env:, place:, requests:)
          @env = env
          @place = place
          @requests = requests
        end

        # file: path of the token that Kubernetes, GitHub or another identity provider keeps there, read each time, as
        # it changes.
        def by_web_identity(file, role, session)
          token = File.read(file).strip
          ask({ "Action" => "AssumeRoleWithWebIdentity", "WebIdentityToken" => token, **facts(role, session) })
        rescue SystemCallError => e
          raise Unavailable.new(:credentials, @place.service("sts"), "is to be shown #{file}: #{e.message}")
        end

        # keys: Credentials of who takes the role.
        def by_role(keys, role, session, external)
          ask({ "Action" => "AssumeRole", **facts(role, session), "ExternalId" => external }.compact, keys)
        end

        private

        def facts(role, session) = { "RoleArn" => role, "RoleSessionName" => session || SESSION }

        def ask(form, keys = nil)
          uri = URI("#{@place.service("sts")}/")
          body = URI.encode_www_form({ **form, "Version" => VERSION })
          headers = { "Content-Type" => FORM }
          headers = signature(keys).headers(:post, uri, headers, digest: Store.sha256(body)) if keys
          @requests.perform(:post, uri, address: uri, headers: headers, body: body) do |answer|
            text = Transport::Answer.text(answer, uri)
            raise refusal(answer, uri, XML.value(text, "Code")) unless answer.code == "200"

            Credentials.from_xml(text) || raise(Unavailable.new(:answer, uri, "sent no credentials"))
          end
        end

        # It answers 400 to a token or a role that it does not take.
        def refusal(answer, uri, code)
          reason = answer.is_a?(Net::HTTPClientError) ? :credentials : :answer
          Unavailable.new(reason, uri, "answers #{answer.code} #{code}".rstrip)
        end

        def signature(keys) = Signature.new(keys, region: @place.region, service: "sts")
      end
    end
  end
end
