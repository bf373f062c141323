# frozen_string_literal: true

require "fileutils"

# A server that stores what is sent to it, in a folder of its own each time.
class CacheContender < Contender
  # Files that may be removed at once: ext4 looks past each inode that was freed in the last seconds when it makes the
  # next file, which the next server would pay for. What stays goes in the end.
  FEW = 100

  def stop
    super
  ensure
    FileUtils.rm_rf(@store) if @store && Dir.glob("#{@store}/**/*").size < FEW
  end

  private

  def store(workload, port) = @store = File.join(workload.folder, "store-#{port}")
end
