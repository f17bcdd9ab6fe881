"""Key agreement with X25519 (RFC 7748). Nothing to change here.

The package cryptography is used where it is installed; otherwise the functions below take a few milliseconds."""

P = 2**255 - 19

def own_multiply(scalar, point):
    """Returns scalar times point, all three as 32 bytes: the Montgomery ladder of RFC 7748, section 5."""
    k = int.from_bytes(scalar, "little") & ((1 << 254) - 8) | 1 << 254
    u = int.from_bytes(point, "little") & ((1 << 255) - 1)
    x2, z2, x3, z3, swap = 1, 0, u, 1, 0
    for t in reversed(range(255)):
        bit = k >> t & 1
        if swap != bit:
            x2, z2, x3, z3, swap = x3, z3, x2, z2, bit
        a, b, c, d = x2 + z2, x2 - z2, x3 + z3, x3 - z3
        aa, bb, da, cb = a * a % P, b * b % P, d * a % P, c * b % P
        x3, z3 = (da + cb) ** 2 % P, u * (da - cb) ** 2 % P
        e = aa - bb
        x2, z2 = aa * bb % P, e * (aa + 121665 * e) % P
    if swap:
        x2, z2 = x3, z3
    return (x2 * pow(z2, P - 2, P) % P).to_bytes(32, "little")

try:
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey

    def multiply(scalar, point):
        return X25519PrivateKey.from_private_bytes(scalar).exchange(X25519PublicKey.from_public_bytes(point))
except Exception:  # it is not installed, or broken
    multiply = own_multiply

def public_key(private):
    return multiply(private, (9).to_bytes(32, "little"))

def exchange(private, public):
    """Returns the secret that both sides compute. A public key of small order is a ValueError: the secret would be known."""
    if len(public) != 32:
        raise ValueError("an X25519 key has 32 bytes")
    shared = multiply(private, public)
    if not any(shared):
        raise ValueError("the X25519 key is a point of small order")
    return shared
