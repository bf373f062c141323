# frozen_string_literal: true

# What a server is to do in a row. kind: :files (of `folder`), :hello or :upload (Rack applications in `folder`).
# protocol: "h2" or "http/1.1".
Workload = Struct.new(:kind, :protocol, :tls, :folder, keyword_init: true) do
  def scheme = tls ? "https" : "http"
  def h2? = protocol == "h2"
  def certificate = File.join(folder, "tls", "cert.pem")
  def key = File.join(folder, "tls", "key.pem")
  def files = File.join(folder, "files")
  def rackup = File.join(folder, "#{kind}.ru")
end
