"""Signatures with ed25519 (RFC 8032). Nothing to change here.

Where the package cryptography is installed it signs; otherwise the functions below do, in a few milliseconds."""
import functools, hashlib

P, ORDER = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P

def recover_x(y):  # the even x of a point
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P)
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    return P - x if x % 2 else x

BASE_Y = 4 * pow(5, P - 2, P) % P
BASE_X = recover_x(BASE_Y)
BASE, ZERO = (BASE_X, BASE_Y, 1, BASE_X * BASE_Y % P), (0, 1, 1, 0)  # points are (x, y, z, t): x/z, y/z, and t = xy/z

def add(p, q):
    a, b = (p[1] - p[0]) * (q[1] - q[0]) % P, (p[1] + p[0]) * (q[1] + q[0]) % P
    c, d = 2 * p[3] * q[3] * D % P, 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P

def times(n):  # n times the base point, as it is written
    total, power = ZERO, BASE
    while n:
        if n & 1:
            total = add(total, power)
        power, n = add(power, power), n >> 1
    inverse = pow(total[2], P - 2, P)
    x, y = total[0] * inverse % P, total[1] * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little")

def number(*parts):
    return int.from_bytes(hashlib.sha512(b"".join(parts)).digest(), "little")

def secrets_of(seed):
    h = hashlib.sha512(seed).digest()
    return (int.from_bytes(h[:32], "little") & ((1 << 254) - 8)) | 1 << 254, h[32:]

@functools.lru_cache(4)
def own_public_key(seed):
    return times(secrets_of(seed)[0])

def own_sign(seed, text):
    scalar, prefix = secrets_of(seed)
    r = number(prefix, text) % ORDER
    point = times(r)
    return point + ((r + number(point, own_public_key(seed), text) * scalar) % ORDER).to_bytes(32, "little")

try:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    def public_key(seed):
        return Ed25519PrivateKey.from_private_bytes(seed).public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)

    def sign(seed, text):
        return Ed25519PrivateKey.from_private_bytes(seed).sign(text)
except Exception:  # it is not installed, or broken
    public_key, sign = own_public_key, own_sign
