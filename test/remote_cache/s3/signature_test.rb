# frozen_string_literal: true

require "test_helper"
require "digest"
require "uri"

# Compares signatures with AWS' published test suite (vectors.tsv, without vectors that normalize a path, which S3 does
# not do), and with the examples in S3's documentation.
class SignatureTest < Minitest::Test
  S3 = Spate::RemoteCache::S3
  KEYS = %w[AKIDEXAMPLE wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY].freeze
  VECTORS = File.readlines("#{__dir__}/vectors.tsv", chomp: true).drop(1).map { |row| row.split("\t") }.freeze
  NOTHING = Digest::SHA256.hexdigest("")
  # From the documentation: request, headers and signature.
  EXAMPLES = {
    "/test.txt" => [:get, { "Range" => "bytes=0-9" }, "",
                    "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"],
    "/test%24file.text" => [:put, { "Date" => "Fri, 24 May 2013 00:00:00 GMT",
                                    "x-amz-storage-class" => "REDUCED_REDUNDANCY" }, "Welcome to Amazon S3.",
                            "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"],
    "/?lifecycle" => [:get, {}, "", "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"],
    "/?max-keys=2&prefix=J" => [:get, {}, "", "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"]
  }.freeze

  VECTORS.each do |name, verb, path, headers, body, token, names, signature|
    define_method("test_#{name.tr("-", "_")}") do
      digest = Digest::SHA256.hexdigest(body)
      headers = headers.split("|").to_h { |header| header.split(": ", 2) }
      headers["x-amz-content-sha256"] = digest if names.include?("content-sha256")
      keys = S3::Credentials.new(*KEYS, (token unless token.empty?))
      uri = URI("https://example.amazonaws.com#{path}")
      signed = S3::Signature.new(keys, region: "us-east-1", service: "service")
                            .headers(verb, uri, headers, digest: digest, time: Time.utc(2015, 8, 30, 12, 36))

      assert_equal "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, " \
                   "SignedHeaders=#{names}, Signature=#{signature}", signed["Authorization"]
    end
  end

  EXAMPLES.each do |path, (verb, headers, body, signature)|
    define_method("test_the_example_#{verb}_#{path}") do
      digest = Digest::SHA256.hexdigest(body)
      keys = S3::Credentials.new("AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
      uri = URI("https://examplebucket.s3.amazonaws.com#{path}")
      headers = headers.merge("x-amz-content-sha256" => digest)
      signed = S3::Signature.new(keys, region: "us-east-1", service: "s3")
                            .headers(verb, uri, headers, digest: digest, time: Time.utc(2013, 5, 24))

      assert_equal signature, signed["Authorization"][/Signature=(\h+)/, 1]
    end
  end

  def test_there_are_vectors = assert_operator(VECTORS.size, :>, 25)

  def test_non_default_port_is_signed
    signed = S3::Signature.new(S3::Credentials.new(*KEYS), region: "r", service: "s3")
    assert_equal "h.test:9000", signed.headers(:get, URI("http://h.test:9000/"), {}, digest: NOTHING)["Host"]
  end
end
