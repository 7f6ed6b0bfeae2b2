#!/usr/bin/env python3
"""Writes the vectors of several paths into packets.json, records.json and malformed.json.

Made from the tables of docs/reference/protocol.md, not from the implementation. README.md says the format.
Vectors of the same name are replaced, others stay; a new one stands behind the one it is named with.
"""
import json
import os
import struct

HERE = os.path.dirname(os.path.abspath(__file__))
CID, COOKIE = 0x01020304, 0x1122334455667788
DATA, REQUEST, CHALLENGE, RESPONSE = 2, 1, 10, 11
ADD_NI, REMOVE_NI = 0x19, 0x1A


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def packet(kind, body):
    head = struct.pack(">BBHIQ", 1, kind, 16 + len(body) + 4, CID, COOKIE)
    return (head + body + struct.pack(">I", crc32c(head + body))).hex()


def numbered(kind, record, psn=1, request=2, data=3, path=0, transmission=4):
    return packet(kind, struct.pack(">IIIIBBH", psn, request, data, path << 24 | transmission, 0, 1, 0) + record)


def ni(kind, nid, flags=0, version=1):
    return struct.pack(">BBHI", kind, flags, 8 + len(nid), version) + nid


def addressed(**fields):
    fields.update(destinationCid=CID, cookie="0x%016x" % COOKIE)
    return fields


def update(file, after, name, **vector):
    """Puts a vector in place of the one of its name, or behind the one named `after`."""
    path = os.path.join(HERE, file)
    with open(path, encoding="utf-8") as source:
        vectors = json.load(source)
    names = [v["name"] for v in vectors]
    vector = dict(name=name, **vector)
    if name in names:
        vectors[names.index(name)] = vector
    else:
        vectors.insert(names.index(after) + 1, vector)
    write(path, vectors)


def remove(file, name):
    path = os.path.join(HERE, file)
    with open(path, encoding="utf-8") as source:
        vectors = json.load(source)
    write(path, [v for v in vectors if v["name"] != name])


def write(path, vectors):
    with open(path, "w", encoding="ascii") as out:
        lines = [json.dumps(v) for v in vectors]
        out.write("[\n" + ",\n".join(lines) + "\n]\n")


def judged(after, name, hexed, counter):
    update("malformed.json", after, name, hex=hexed, counter=counter, addressed=True)


def challenge(length):
    return packet(CHALLENGE, bytes(length - 20))


def response(length, path=0, flags=0, reserved=0):
    body = bytes(8) + struct.pack(">BBH", path, flags, reserved) + bytes(16)
    return packet(RESPONSE, body[:length - 20])


def well_formed():
    data = "0x0123456789abcdef"
    update("packets.json", "PATH_CHALLENGE", "PATH_CHALLENGE, padded",
           hex=packet(CHALLENGE, struct.pack(">Q36x", 0x0123456789ABCDEF)),
           fields=addressed(type="PATH_CHALLENGE", data=data, packetLength=64))
    for id, name in ((255, "PATH_RESPONSE with a path id"), (None, "PATH_RESPONSE without a path id")):
        flags = 0 if id is None else 1
        body = struct.pack(">QBBH", 0x0123456789ABCDEF, id or 0, flags, 0)
        update("packets.json", "PATH_RESPONSE", name, hex=packet(RESPONSE, body),
               fields=addressed(type="PATH_RESPONSE", data=data, packetLength=32, pathId=id or 0, flags=flags))
    after = "FIN with CLOSING"
    for kind, name, version, nid in ((ADD_NI, "ADD_NI", 1, b"10.1.0.7:7400@blue"),
                                     (REMOVE_NI, "REMOVE_NI", 0xFFFFFFFF, b"[fd00::7]:65535")):
        record = ni(kind, nid, version=version)
        update("records.json", after, name,
               hex=numbered(DATA, record, 1000, 2000, 3000, 1, 77),
               fields=addressed(type="DATA", psn=1000, requestAckBase=2000, dataAckBase=3000, pathId=1,
                                transmissionSequence=77, flags=0,
                                records=[{"type": name, "flags": 0, "version": version, "nid": nid.decode()}]))
        after = name


def malformed():
    remove("malformed.json", "PATH_CHALLENGE one byte long")
    remove("malformed.json", "PATH_RESPONSE one byte long")
    remove("malformed.json", "record type 0x19")
    judged("record type 0xf", "record type 0x1b",
           numbered(DATA, struct.pack(">BBH20x", 0x1B, 0, 24)), "DROP_RECORD_TYPE")
    judged("PATH_CHALLENGE of its length", "PATH_CHALLENGE of its greatest length", challenge(64), None)
    judged("PATH_CHALLENGE of its greatest length", "PATH_CHALLENGE one byte longer", challenge(65), "DROP_OVERLONG")
    after = "PATH_RESPONSE of its length"
    for name, hexed, counter in (
            ("PATH_RESPONSE with a path id", response(32, 255, 1), None),
            ("PATH_RESPONSE without a path id", response(32, 0, 0), None),
            ("PATH_RESPONSE one byte longer", response(33), "DROP_OVERLONG"),
            ("PATH_RESPONSE of 29 bytes", response(29), "DROP_BODY"),
            ("PATH_RESPONSE of 31 bytes", response(31), "DROP_BODY"),
            ("PATH_RESPONSE with flag 0x2", response(32, 0, 2), "DROP_FLAGS"),
            ("PATH_RESPONSE with flag 0x80", response(32, 0, 0x80), "DROP_FLAGS"),
            ("PATH_RESPONSE with reserved 1", response(32, 0, 1, 1), "DROP_FLAGS"),
            ("PATH_RESPONSE with reserved 0x8000", response(32, 0, 1, 0x8000), "DROP_FLAGS")):
        judged(after, name, hexed, counter)
        after = name
    after = "FIN in a REQUEST packet"
    for kind, name in ((ADD_NI, "ADD_NI"), (REMOVE_NI, "REMOVE_NI")):
        for text, hexed, counter in (
                ("%s of its shortest length", numbered(DATA, ni(kind, b"x")), None),
                ("%s without a NID", numbered(DATA, ni(kind, b"")), "DROP_RECORD_LENGTH"),
                ("%s of its greatest length", numbered(DATA, ni(kind, b"x" * 96)), None),
                ("%s one byte longer", numbered(DATA, ni(kind, b"x" * 97)), "DROP_RECORD_LENGTH"),
                ("%s with flag 0x1", numbered(DATA, ni(kind, b"x", 1)), "DROP_FLAGS"),
                ("%s with flag 0x80", numbered(DATA, ni(kind, b"x", 0x80)), "DROP_FLAGS"),
                ("%s in a REQUEST packet", numbered(REQUEST, ni(kind, b"x")), "DROP_RECORD_TYPE")):
            judged(after, text % name, hexed, counter)
            after = text % name


if __name__ == "__main__":
    well_formed()
    malformed()
