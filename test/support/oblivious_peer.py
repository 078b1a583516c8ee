"""Client and gateway of Oblivious HTTP from RFC 9458, 9292 and 9180 alone, with the primitives of the package `cryptography`.

usage: oblivious_peer.py keys
       oblivious_peer.py open <private key> <key list> <sealed request> <status> <content>
       oblivious_peer.py ask <key list> <method> <url> <content>
       oblivious_peer.py read <state of ask> <sealed answer>

Bytes are in hex, output is one JSON object. Where `cryptography` has HPKE of its own (47 and later), it must open the same request.
"""
import hashlib
import hmac
import json
import os
import struct
import sys

from cryptography import __version__
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

try:
    from cryptography.hazmat.primitives.hpke import AEAD, KDF, KEM, Suite

    SUITE = Suite(KEM.X25519, KDF.HKDF_SHA256, AEAD.AES_128_GCM)
except ImportError:
    SUITE = None

KEM_SUITE = b"KEM" + struct.pack(">H", 0x20)
HPKE_SUITE = b"HPKE" + struct.pack(">HHH", 0x20, 1, 1)


def extract(salt, ikm):
    return hmac.new(salt or bytes(32), ikm, hashlib.sha256).digest()


def expand(prk, info, length):
    """One block is enough here."""
    return hmac.new(prk, info + b"\x01", hashlib.sha256).digest()[:length]


def labeled_extract(suite, salt, label, ikm):
    return extract(salt, b"HPKE-v1" + suite + label + ikm)


def labeled_expand(suite, prk, label, info, length):
    return expand(prk, struct.pack(">H", length) + b"HPKE-v1" + suite + label + info, length)


def schedule(shared, enc, public_key, info):
    """RFC 9180, 4.1 and 5.1, base mode: key, base nonce, and the secret that answers are sealed with (RFC 9458, 4.4)."""
    prk = labeled_extract(KEM_SUITE, b"", b"eae_prk", shared)
    shared = labeled_expand(KEM_SUITE, prk, b"shared_secret", enc + public_key, 32)
    context = b"\x00" + labeled_extract(HPKE_SUITE, b"", b"psk_id_hash", b"") + labeled_extract(HPKE_SUITE, b"", b"info_hash", info)
    secret = labeled_extract(HPKE_SUITE, shared, b"secret", b"")
    key = labeled_expand(HPKE_SUITE, secret, b"key", context, 16)
    nonce = labeled_expand(HPKE_SUITE, secret, b"base_nonce", context, 12)
    exporter = labeled_expand(HPKE_SUITE, secret, b"exp", context, 32)
    return key, nonce, labeled_expand(HPKE_SUITE, exporter, b"sec", b"message/bhttp response", 16)


def answer_keys(secret, enc, nonce):
    prk = extract(enc + nonce, secret)
    return AESGCM(expand(prk, b"key", 16)), expand(prk, b"nonce", 12)


def key_in(key_list):
    """The first configuration, which must offer X25519, HKDF-SHA256 and AES-128-GCM."""
    length = struct.unpack(">H", key_list[:2])[0]
    config = key_list[2 : 2 + length]
    key_id, kem = config[0], config[1:3]
    assert kem == b"\x00\x20" and b"\x00\x01\x00\x01" in config[37:], "another suite"
    return bytes([key_id]) + kem + b"\x00\x01\x00\x01", config[3:35]


def integer(value):
    return struct.pack(">I", value | 0x80000000)


def block(data):
    return integer(len(data)) + data


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def integer(self):
        size = 1 << (self.data[self.at] >> 6)
        value = int.from_bytes(self.data[self.at : self.at + size], "big") & ((1 << (8 * size - 2)) - 1)
        self.at += size
        return value

    def block(self):
        size = self.integer()
        self.at += size
        assert self.at <= len(self.data), "cut"
        return self.data[self.at - size : self.at]

    def fields(self):
        inner, pairs = Reader(self.block()), []
        while inner.at < len(inner.data):
            pairs.append([inner.block().decode(), inner.block().decode()])
        return pairs

    def end(self):
        assert self.block() == b"" and not any(self.data[self.at :]), "something is after the message"


def main(what, *args):
    if what == "keys":
        private = X25519PrivateKey.generate()
        public = private.public_key().public_bytes_raw()
        key_list = struct.pack(">H", 41) + b"\x05\x00\x20" + public + b"\x00\x04\x00\x01\x00\x01"
        return {"privateKey": private.private_bytes_raw().hex(), "keyList": key_list.hex()}
    if what == "open":
        private_key, key_list, sealed, status, content = args
        head, public = key_in(bytes.fromhex(key_list))
        sealed = bytes.fromhex(sealed)
        assert sealed[:7] == head, "another key or suite"
        enc, info = sealed[7:39], b"message/bhttp request\x00" + head
        private = X25519PrivateKey.from_private_bytes(bytes.fromhex(private_key))
        key, nonce, secret = schedule(private.exchange(X25519PublicKey.from_public_bytes(enc)), enc, public, info)
        message = AESGCM(key).decrypt(nonce, sealed[39:], b"")
        if SUITE is not None:
            assert SUITE.decrypt(sealed[7:], private, info) == message, "HPKE of cryptography reads something else"
        reader = Reader(message)
        assert reader.integer() == 0, "not a request of known length"
        method, scheme, authority, path = [reader.block().decode() for _ in range(4)]
        fields, body = reader.fields(), reader.block()
        reader.end()
        answer = integer(1) + integer(int(status)) + block(b"") + block(bytes.fromhex(content)) + block(b"") + bytes(64)
        random = os.urandom(16)
        aead, iv = answer_keys(secret, enc, random)
        return {
            "request": [method, scheme + "://" + authority + path, fields, body.hex()],
            "messageBytes": len(message),
            "answer": (random + aead.encrypt(iv, answer, b"")).hex(),
            "hpke": SUITE is not None,
            "version": __version__,
        }
    if what == "ask":
        key_list, method, url, content = args
        head, public = key_in(bytes.fromhex(key_list))
        scheme, rest = url.split("://")
        authority, path = rest.split("/", 1)
        body = bytes.fromhex(content)
        fields = block(b"content-type") + block(b"application/json") if body else b""
        parts = [method.encode(), scheme.encode(), authority.encode(), ("/" + path).encode(), fields, body, b""]
        message = integer(0) + b"".join(block(part) for part in parts) + bytes(100)
        ephemeral = X25519PrivateKey.generate()
        enc, info = ephemeral.public_key().public_bytes_raw(), b"message/bhttp request\x00" + head
        key, nonce, secret = schedule(ephemeral.exchange(X25519PublicKey.from_public_bytes(public)), enc, public, info)
        sealed = {"sealed": (head + enc + AESGCM(key).encrypt(nonce, message, b"")).hex(), "state": (enc + secret).hex()}
        if SUITE is not None:
            sealed["sealedByHpke"] = (head + SUITE.encrypt(message, X25519PublicKey.from_public_bytes(public), info)).hex()
        return sealed
    if what == "read":
        state, answer = [bytes.fromhex(arg) for arg in args]
        aead, iv = answer_keys(state[32:], state[:32], answer[:16])
        message = aead.decrypt(iv, answer[16:], b"")
        reader = Reader(message)
        assert reader.integer() == 1, "not a response of known length"
        status, fields, content = reader.integer(), reader.fields(), reader.block()
        reader.end()
        return {"status": status, "fields": fields, "content": content.hex(), "messageBytes": len(message)}
    raise SystemExit(__doc__)


if __name__ == "__main__":
    print(json.dumps(main(*sys.argv[1:])))
