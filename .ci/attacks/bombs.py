"""Small image files that take long to decode. Every file is valid, so no reader can refuse it by its header alone."""

import struct
import zlib

#: Bits of an EOBn code of JPEG: one code skips up to 2^(n+1) - 1 blocks.
RUN_BITS = 14

ADAM7 = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]


def png(side, bits=1, colour=0, interlaced=False):
    """A black PNG; colour 0 is grey, 2 is RGB, 6 is RGB with alpha."""
    samples = {0: 1, 2: 3, 6: 4}[colour]
    packer = zlib.compressobj(9)
    data = b""
    for x, y, across, down in ADAM7 if interlaced else [(0, 0, 1, 1)]:
        width, height = -(-(side - x) // across), -(-(side - y) // down)
        row = bytes(1 + (width * samples * bits + 7) // 8)
        data += b"".join(packer.compress(row * min(64, height - done)) for done in range(0, height, 64))
    data += packer.flush()
    header = struct.pack(">IIBBBBB", side, side, bits, colour, 0, 0, int(interlaced))
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + _chunk(b"IDAT", data) + _chunk(b"IEND", b"")


def _chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def jpeg(side, scans):
    """A grey progressive JPEG: one scan of DC values, then scans that visit every block and change nothing."""
    blocks = (-(-side // 8)) ** 2
    file = b"\xff\xd8" + _segment(0xDB, b"\x00" + b"\x01" * 64)
    file += _segment(0xC2, struct.pack(">BHHB", 8, side, side, 1) + b"\x01\x11\x00")
    file += _segment(0xC4, b"\x00" + _lengths(1) + b"\x00")  # a DC difference of 0 is the bit 0
    file += _segment(0xC4, b"\x10" + _lengths(1) + bytes([RUN_BITS << 4]))  # a run of blocks without values is the bit 0
    file += _scan(0, 0, 0) + _stuffed("0" * blocks)
    runs = ""
    while blocks:
        run = min(blocks, (1 << (RUN_BITS + 1)) - 1)
        run = run if run >= 1 << RUN_BITS else 0
        if not run:  # the rest is shorter than a run of this code: one longer run covers it, readers stop at the last block
            run = 1 << RUN_BITS
        runs += "0" + format(run - (1 << RUN_BITS), f"0{RUN_BITS}b")
        blocks = max(0, blocks - run)
    for number in range(scans - 1):
        coefficient, refinement = 1 + number % 63, number // 63
        file += _scan(coefficient, refinement and 1, 0 if refinement else 1) + _stuffed(runs)
    return file + b"\xff\xd9"


def _segment(marker, data):
    return bytes([0xFF, marker]) + struct.pack(">H", len(data) + 2) + data


def _lengths(codes):
    return bytes([codes] + [0] * 15)


def _scan(coefficient, high, low):
    return _segment(0xDA, bytes([1, 1, 0x00, coefficient, coefficient, (high << 4) | low]))


def _stuffed(bits):
    bits += "1" * (-len(bits) % 8)
    return int(bits, 2).to_bytes(len(bits) // 8, "big").replace(b"\xff", b"\xff\x00")
