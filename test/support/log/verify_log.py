"""Verifies a transparency log and the version.proof of its list, from the C2SP texts alone and with no code of this package.

usage: verify_log.py <log folder> <list folder or -> <log vkey> [<witness vkey> ...]

Prints one JSON object: the size of the log, the index of the listed version, and which witnesses cosigned it. Exits with 1 and a reason on
standard error if anything is wrong. Signatures need the package `cryptography`; without it they are left out, and the output says so.
"""
import base64
import hashlib
import json
import os
import struct
import sys

try:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
except ImportError:
    Ed25519PublicKey = None


def fail(why):
    sys.exit("verify_log: " + why)


def sha(data):
    return hashlib.sha256(data).digest()


def node(left, right):
    return sha(b"\x01" + left + right)


def root_of(hashes):
    """RFC 6962, 2.1: by its recursive definition."""
    if not hashes:
        return sha(b"")
    if len(hashes) == 1:
        return hashes[0]
    split = 1
    while split * 2 < len(hashes):
        split *= 2
    return node(root_of(hashes[:split]), root_of(hashes[split:]))


def key_of(vkey):
    name, key_id, data = vkey.split("+", 2)
    data = base64.b64decode(data, validate=True)
    if sha(name.encode() + b"\n" + data)[:4].hex() != key_id:
        fail("the key id of " + name + " is not that of its key")
    return name, bytes.fromhex(key_id), data[0], data[1:]


def check(public_key, signature, message):
    if Ed25519PublicKey is not None:
        Ed25519PublicKey.from_public_bytes(public_key).verify(signature, message)


def open_note(note, log, witnesses):
    """Returns size, root, and the names of the witnesses that cosigned."""
    text, _, tail = note.rpartition("\n\n")
    text += "\n"
    origin, size, root = text.split("\n")[:3]
    if origin != log[0] or not tail.endswith("\n"):
        fail("the checkpoint is not of this log")
    is_signed, cosigned = False, []
    for line in tail[:-1].split("\n"):
        dash, name, data = line.split(" ")
        data = base64.b64decode(data, validate=True)
        if dash != "\u2014":
            fail("a signature line is malformed")
        if (name, data[:4]) == log[:2]:
            check(log[3], data[4:], text.encode())
            is_signed = True
        for witness in witnesses:
            if (name, data[:4]) == witness[:2] and witness[2] == 4:
                seconds = struct.unpack(">Q", data[4:12])[0]
                check(witness[3], data[12:], ("cosignature/v1\ntime %d\n%s" % (seconds, text)).encode())
                cosigned.append(name)
    if not is_signed:
        fail("the log has not signed the checkpoint")
    return int(size), base64.b64decode(root, validate=True), cosigned


def path_of(index, width):
    groups = ["%03d" % (index % 1000)]
    while index >= 1000:
        index //= 1000
        groups.insert(0, "x%03d" % (index % 1000))
    return "/".join(groups) + ("" if width == 256 else ".p/%d" % width)


def read(folder, *names):
    with open(os.path.join(folder, *names), "rb") as file:
        return file.read()


def tiles_of(count):
    """(index, width) of the tiles that hold this number of hashes."""
    tiles = [(index, 256) for index in range(count // 256)]
    return tiles + ([(count // 256, count % 256)] if count % 256 else [])


def main(log_folder, list_folder, log_vkey, *witness_vkeys):
    log = key_of(log_vkey)
    witnesses = [key_of(vkey) for vkey in witness_vkeys]
    size, root, _ = open_note(read(log_folder, "checkpoint").decode(), log, witnesses)
    leaves = []
    for index, width in tiles_of(size):
        bundle, at = read(log_folder, "tile", "entries", path_of(index, width)), 0
        for _ in range(width):
            length = struct.unpack(">H", bundle[at : at + 2])[0]
            leaves.append(sha(b"\x00" + bundle[at + 2 : at + 2 + length]))
            at += 2 + length
        if at != len(bundle):
            fail("a bundle has more bytes than entries")
    if root_of(leaves) != root:
        fail("the entries are not those of the checkpoint")
    level, hashes = 0, leaves
    while hashes:
        for index, width in tiles_of(len(hashes)):
            if read(log_folder, "tile", str(level), path_of(index, width)) != b"".join(hashes[index * 256 : index * 256 + width]):
                fail("tile %d/%s differs" % (level, path_of(index, width)))
        hashes = [root_of(hashes[at : at + 256]) for at in range(0, len(hashes) - 255, 256)]
        level += 1
    result = {"size": size, "signatures": Ed25519PublicKey is not None}
    if list_folder != "-":
        document = json.loads(read(list_folder, "version.json"))
        leaf = sha(b"\x00" + base64.b64decode(document["signed"]["payload"], validate=True))
        head, _, note = read(list_folder, "version.proof").decode().partition("\n\n")
        lines = head.split("\n")
        if lines.pop(0) != "c2sp.org/tlog-proof@v1":
            fail("version.proof has another format")
        if lines[0].startswith("extra "):
            lines.pop(0)
        index = int(lines.pop(0).split(" ")[1])
        proof_size, proof_root, cosigned = open_note(note, log, witnesses)
        # RFC 9162, 2.1.3.2.
        fn, sn, at = index, proof_size - 1, leaf
        if index >= proof_size:
            fail("the index is not in the tree")
        for line in lines:
            sibling = base64.b64decode(line, validate=True)
            if sn == 0:
                fail("the proof is too long")
            if fn % 2 == 1 or fn == sn:
                at = node(sibling, at)
                while fn % 2 == 0 and fn != 0:
                    fn, sn = fn // 2, sn // 2
            else:
                at = node(at, sibling)
            fn, sn = fn // 2, sn // 2
        if sn != 0 or at != proof_root:
            fail("the version is not in the log")
        if proof_size > size or root_of(leaves[:proof_size]) != proof_root:
            fail("the proof is of another tree")
        result.update(index=index, proofSize=proof_size, cosigned=cosigned)
    print(json.dumps(result))


if __name__ == "__main__":
    main(*sys.argv[1:])
