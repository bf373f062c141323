# A peer with python3-hpack: reads [method, argument] from each line, and prints one line for it. Blocks are in hex.
import json
import sys

from hpack import Decoder, Encoder
from hpack.hpack import HeaderTuple, NeverIndexedHeaderTuple

encoder, decoder = Encoder(), Decoder()


def encode(fields):
    tuples = [(NeverIndexedHeaderTuple if never else HeaderTuple)(name, value) for name, value, never in fields]
    return encoder.encode(tuples, huffman=len(tuples) % 2 == 0).hex()


def decode(block):
    fields = decoder.decode(bytes.fromhex(block))
    return [[field[0], field[1], not field.indexable] for field in fields]


def table_size(size):
    encoder.header_table_size = size
    return size


def allowed_size(size):
    decoder.max_allowed_table_size = size
    return size


for line in sys.stdin:
    method, argument = json.loads(line)
    print(json.dumps(globals()[method](argument)), flush=True)
