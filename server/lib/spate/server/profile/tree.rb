# frozen_string_literal: true

module Spate
  module Server
    module Profile
      # Stacks that share their outer frames: node 0 is the root, every other has a parent, a frame's number and a line
      # (0 where it is unknown). A parent's number is smaller than its children's.
      class Tree
        # flat: [parent, frame, line, ...], the root first.
        def initialize(flat = [0, 0, 0])
          @flat = flat
          @children = nil
        end

        def size = @flat.size / 3
        def parent(node) = @flat[node * 3]
        def frame(node) = @flat[(node * 3) + 1]
        def line(node) = @flat[(node * 3) + 2]

        # [[frame, line], ...] outermost first.
        def stack(node)
          frames = []
          until node.zero?
            frames << [frame(node), line(node)]
            node = parent(node)
          end
          frames.reverse!
        end

        # The node of a frame called from another node's; made where it is not there.
        def child(parent, frame, line)
          @children ||= index
          @children[[parent, frame, line]] ||= begin
            @flat.push(parent, frame, line)
            size - 1
          end
        end

        # The node of a stack as `stack` answers it.
        def add(stack) = stack.inject(0) { |node, (frame, line)| child(node, frame, line) }

        private

        def index = (1...size).to_h { |node| [[parent(node), frame(node), line(node)], node] }
      end
    end
  end
end
