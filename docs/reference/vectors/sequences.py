#!/usr/bin/env python3
"""Writes sequences.json: packets one after the other, and what a receiver does with each.

Made from the tables of docs/reference/protocol.md, not from the implementation. README.md says the format.
"""
import json
import os
import struct

CID, COOKIE, FIRST = 0x01020304, 0x1122334455667788, 0xFFFFFFFE
REQUEST, DATA, ACK, PING, PONG, CHALLENGE, RESPONSE, CLOSE, CLOSE_ACK = 1, 2, 7, 8, 9, 10, 11, 12, 13
sequence = [0]


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def at(n):
    """The n-th number of any space: they all start at 2^32 - 2."""
    return (FIRST + n) & 0xFFFFFFFF


def packet(kind, body, cookie=COOKIE):
    head = struct.pack(">BBHIQ", 1, kind, 16 + len(body) + 4, CID, cookie)
    return (head + body + struct.pack(">I", crc32c(head + body))).hex()


def numbered(kind, psn, *records, request_ack=0, data_ack=0, count=None):
    transmission = (FIRST + sequence[0]) & 0xFFFFFF
    sequence[0] += 1
    body = struct.pack(">IIIIBBH", at(psn), at(request_ack), at(data_ack), transmission, 0,
                       len(records) if count is None else count, 0)
    return packet(kind, body + b"".join(records))


def record(kind, body, flags=0):
    return struct.pack(">BBH", kind, flags, 4 + len(body)) + body


def content(rsn, offset, length):
    return bytes((rsn * 31 + i * 7 + (i >> 8)) & 0xFF for i in range(offset, offset + length))


def whole(rsn, length, flags=0):
    return record(0x13, struct.pack(">I", at(rsn)) + content(rsn, 0, length), 1 | flags)


def piece(rsn, offset, length, total):
    return record(0x13, struct.pack(">III", at(rsn), offset, total) + content(rsn, offset, length))


def asked(rsn, ssn, length):
    return record(0x01, struct.pack(">III", at(rsn), at(ssn), length))


def solicited(rsn, offset, length):
    return record(0x12, struct.pack(">II", at(rsn), offset) + content(rsn, offset, length))


def answer(rsn, length):
    return record(0x14, struct.pack(">I", at(rsn)) + content(rsn, 0, length), 1)


def resync(rsn, ssn=None):
    return record(0x03, struct.pack(">III", at(rsn), 0 if ssn is None else at(ssn), 0),
                  0 if ssn is None else 1)


def cancel(rsn):
    return record(0x17, struct.pack(">I", at(rsn)))


def fin(rsn, closing=0):
    return record(0x18, struct.pack(">I", at(rsn)), closing)


def ack(request, data):
    return packet(ACK, struct.pack(">IIBBBBHHQ", at(request), at(data), 0, 0, 0, 0, 0, 0, 16384))


def step(*packets, **expected):
    return dict(packets=list(packets), **expected)


def says(request, data, above=(), own=0):
    return {"requestBase": at(request), "dataBase": at(data),
            "dataAbove": [at(n) for n in above], "flags": own}


SEQUENCES = []


def case(section, name, *steps, **receiver):
    SEQUENCES.append({"section": section, "name": name, "receiver": receiver, "steps": list(steps)})
    sequence[0] = 0


def damaged(hexed):
    return hexed[:-2] + "%02x" % (int(hexed[-2:], 16) ^ 1)


case("10", "in order, over the wrap of PSN and RSN",
     *[step(numbered(DATA, n, whole(n, 10)), delivers=[at(n)]) for n in range(3)],
     step(numbered(DATA, 3, whole(3, 10)), delivers=[at(3)], acknowledges=says(0, 4)))
case("10", "a duplicate is dropped and acknowledged",
     step(numbered(DATA, 0, whole(0, 10)), delivers=[at(0)], acknowledges=says(0, 1)),
     step(numbered(DATA, 0, whole(0, 10)), delivers=[], counters={"DUPLICATES_RECEIVED": 1},
          acknowledges=says(0, 1)))
case("10", "out of order: the gap is told, and filled",
     step(numbered(DATA, 2, whole(2, 10)), delivers=[], acknowledges=says(0, 0, [2])),
     step(numbered(DATA, 1, whole(1, 10)), delivers=[], acknowledges=says(0, 0, [1, 2])),
     step(numbered(DATA, 0, whole(0, 10)), delivers=[at(0), at(1), at(2)],
          acknowledges=says(0, 3)))
case("10", "a duplicate above a gap",
     step(numbered(DATA, 1, whole(1, 10)), delivers=[], acknowledges=says(0, 0, [1])),
     step(numbered(DATA, 1, whole(1, 10)), delivers=[], counters={"DUPLICATES_RECEIVED": 1},
          acknowledges=says(0, 0, [1])))
case("10", "the last PSN of the window is taken, the next is not",
     step(numbered(DATA, 63, whole(0, 10)), delivers=[at(0)], acknowledges=says(0, 0, [63])),
     step(numbered(DATA, 64, whole(1, 10)), delivers=[], counters={"OUT_OF_WINDOW_RECEIVED": 1},
          acknowledges=says(0, 0, [63], own=2)),
     dataWindow=64)
case("10", "the two windows are counted apart",
     step(numbered(REQUEST, 0, asked(0, 0, 20000)), numbered(DATA, 0), delivers=[],
          counters={"DUPLICATES_RECEIVED": 0, "PACKETS_NUMBERED_RECEIVED": 2}))
case("10", "an empty packet is one", step(numbered(DATA, 0), delivers=[], acknowledges=says(0, 1)))
case("13", "the pieces of a push in any order, one of them twice",
     step(numbered(DATA, 0, piece(0, 500, 500, 1000)), delivers=[]),
     step(numbered(DATA, 1, piece(0, 500, 500, 1000)), delivers=[]),
     step(numbered(DATA, 2, piece(0, 0, 600, 1000)), delivers=[at(0)], acknowledges=says(0, 3)))
case("13", "a push that comes again under another PSN before its turn",
     step(numbered(DATA, 0, whole(1, 10)), delivers=[]),
     step(numbered(DATA, 1, whole(1, 10)), delivers=[], counters={"RECORDS_IGNORED": 1}),
     step(numbered(DATA, 2, whole(0, 10)), delivers=[at(0), at(1)]))
case("13", "a push that comes again under another PSN after it was delivered",
     step(numbered(DATA, 0, whole(0, 10)), delivers=[at(0)]),
     step(numbered(DATA, 1, whole(0, 10)), delivers=[], counters={"RECORDS_IGNORED": 1}))
case("13", "pieces that disagree on the total",
     step(numbered(DATA, 0, piece(0, 0, 10, 100)), delivers=[]),
     step(numbered(DATA, 1, piece(0, 10, 10, 101)), delivers=[], closes=1))
case("13", "an unsolicited push above solicitThreshold within the credit is taken",
     step(numbered(DATA, 0, whole(0, 9000)), delivers=[at(0)]))
case("13", "an RSN at the end of the span, and one beyond it",
     step(numbered(DATA, 0, whole((1 << 20) - 1, 10)), delivers=[]),
     step(numbered(DATA, 1, whole(1 << 20, 10)), delivers=[], closes=1))
case("13", "RESYNC passes an RSN over",
     step(numbered(DATA, 0, whole(1, 10)), delivers=[]),
     step(numbered(DATA, 1, resync(0)), delivers=[at(1)]))
case("13", "a RESYNC that comes again before its turn, and after it",
     step(numbered(DATA, 0, resync(1)), delivers=[]),
     step(numbered(DATA, 1, resync(1)), delivers=[], counters={"RECORDS_IGNORED": 1}),
     step(numbered(DATA, 2, resync(0)), delivers=[]),
     step(numbered(DATA, 3, resync(1)), delivers=[], counters={"RECORDS_IGNORED": 1}),
     step(numbered(DATA, 4, whole(2, 10)), delivers=[at(2)]))
case("13", "a RESYNC in the request window", step(numbered(REQUEST, 0, resync(0)), delivers=[]),
     step(numbered(DATA, 0, whole(1, 10)), delivers=[at(1)], acknowledges=says(1, 1)))
case("13", "a RESYNC of what has begun",
     step(numbered(DATA, 0, piece(0, 0, 10, 100)), delivers=[]),
     step(numbered(DATA, 1, resync(0)), delivers=[], closes=1))
case("13", "a RESYNC that comes again with an SSN",
     step(numbered(DATA, 0, resync(1)), delivers=[]),
     step(numbered(DATA, 1, resync(1, ssn=0)), delivers=[], closes=1))
case("13", "a CANCEL that comes twice before its request",
     step(numbered(DATA, 0, cancel(0)), delivers=[]),
     step(numbered(DATA, 1, cancel(0)), delivers=[], counters={"RECORDS_IGNORED": 1}))
case("15", "a request that comes again",
     step(numbered(REQUEST, 0, asked(0, 0, 20000)), delivers=[]),
     step(numbered(REQUEST, 1, asked(0, 0, 20000)), delivers=[], counters={"RECORDS_IGNORED": 1}))
case("15", "a request that comes again with another length",
     step(numbered(REQUEST, 0, asked(0, 0, 20000)), delivers=[]),
     step(numbered(REQUEST, 1, asked(0, 0, 20001)), delivers=[], closes=1))
case("15", "an SSN that was used",
     step(numbered(REQUEST, 0, asked(0, 0, 20000)), delivers=[]),
     step(numbered(REQUEST, 1, asked(1, 0, 20000)), delivers=[], closes=1))
case("15", "data that nobody granted",
     step(numbered(DATA, 0, solicited(0, 0, 10)), delivers=[], closes=1))
case("15", "an empty piece within what was granted does nothing",
     step(numbered(REQUEST, 0, asked(0, 0, 20000)), delivers=[]),
     step(numbered(DATA, 0, solicited(0, 0, 0)), delivers=[]),
     step(numbered(DATA, 1, solicited(0, 20000, 0)), delivers=[]))
case("15", "an empty piece beyond what was granted",
     step(numbered(REQUEST, 0, asked(0, 0, 20000)), delivers=[]),
     step(numbered(DATA, 0, solicited(0, 20001, 0)), delivers=[], closes=1))
case("16", "an answer to a pull that never began",
     step(numbered(DATA, 0, answer(0, 10)), delivers=[], closes=1))
case("17", "a push at or beyond the final RSN",
     step(numbered(DATA, 0, fin(1)), delivers=[]),
     step(numbered(DATA, 1, whole(0, 10)), delivers=[at(0)]),
     step(numbered(DATA, 2, whole(1, 10)), delivers=[], closes=1))
case("17", "a final RSN at the end of the span",
     step(numbered(DATA, 0, fin(1 << 20)), delivers=[], acknowledges=says(0, 1)))
case("17", "a final RSN beyond the span", step(numbered(DATA, 0, fin((1 << 20) + 1)), delivers=[], closes=1))
case("17", "a final RSN not above one that was seen",
     step(numbered(DATA, 0, whole(3, 10)), delivers=[]),
     step(numbered(DATA, 1, fin(3)), delivers=[], closes=1))
case("17", "a second FIN with another RSN",
     step(numbered(DATA, 0, fin(1)), delivers=[]),
     step(numbered(DATA, 1, fin(2)), delivers=[], closes=1))
case("8", "a wrong checksum, then the packet itself",
     step(damaged(numbered(DATA, 0, whole(0, 10))), delivers=[], counters={"DROP_INTEGRITY": 1}),
     step(numbered(DATA, 0, whole(0, 10)), delivers=[at(0)], acknowledges=says(0, 1)))
case("8", "one bad record refuses the whole packet, and its PSN stays free",
     step(numbered(DATA, 0, whole(0, 10), record(0x17, b"")), delivers=[],
          counters={"DROP_RECORD_LENGTH": 1}),
     step(numbered(DATA, 0, whole(0, 10), count=2), delivers=[], counters={"DROP_RECORD_COUNT": 1}),
     step(numbered(DATA, 0, whole(0, 10)), delivers=[at(0)], acknowledges=says(0, 1)))
case("11", "an acknowledgement of what was never sent, three times",
     step(ack(0, 1), delivers=[], counters={"ACK_OF_UNSENT": 1}),
     step(ack(1, 0), delivers=[], counters={"ACK_OF_UNSENT": 1}),
     step(numbered(DATA, 0, whole(0, 10), data_ack=1), delivers=[], counters={"ACK_OF_UNSENT": 1},
          closes=1))
case("18", "PING is answered",
     step(packet(PING, struct.pack(">IB3x16x", 7, 0)), delivers=[], replies=[PONG]))
case("9.2", "PATH_CHALLENGE is answered",
     step(packet(CHALLENGE, struct.pack(">Q", 0x0102030405060708)), delivers=[], replies=[RESPONSE]))
case("19.2", "CLOSE waits for what lies below its final PSNs",
     step(packet(CLOSE, struct.pack(">IB3xII", 700, 0, at(0), at(1))), delivers=[], replies=[]),
     step(numbered(DATA, 0, whole(0, 10)), delivers=[at(0)], replies=[CLOSE_ACK], ends=700))
case("19.2", "CLOSE with ABORT does not",
     step(packet(CLOSE, struct.pack(">IB3xII", 700, 1, at(0), at(1))), delivers=[],
          replies=[CLOSE_ACK], ends=700))
case("19.2", "a final PSN that cannot be",
     step(packet(CLOSE, struct.pack(">IB3xII", 700, 0, at(0), at(65))), delivers=[], closes=1,
          counters={"CLOSES_REFUSED": 1}),
     dataWindow=64)

if __name__ == "__main__":
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "sequences.json")
    with open(path, "w", encoding="ascii") as out:
        lines = [json.dumps(s) for s in SEQUENCES]
        out.write("[\n" + ",\n".join(lines) + "\n]\n")
