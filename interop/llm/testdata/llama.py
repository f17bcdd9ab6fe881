"""A real llama.cpp server with a tiny random model, which this program writes itself.

Usage: llama.py FOLDER. It prints the server's address and runs until its standard input ends.
"""
import math
import os
import random
import struct
import sys

STRING, UINT32, FLOAT32, BOOL, ARRAY, INT32 = 8, 4, 6, 7, 9, 5


def text(value):
    raw = value.encode()
    return struct.pack("<Q", len(raw)) + raw


def pack(kind, value):
    """Returns a value of the file's header."""
    if kind == STRING:
        return text(value)
    if kind == ARRAY:
        inner, items = value
        return struct.pack("<IQ", inner, len(items)) + b"".join(pack(inner, i) for i in items)
    return struct.pack({UINT32: "<I", INT32: "<i", FLOAT32: "<f", BOOL: "<?"}[kind], value)


def vocabulary():
    """Returns tokens, scores and kinds: three special tokens and one for each byte."""
    tokens = ["<unk>", "<s>", "</s>"] + ["<0x%02X>" % b for b in range(256)]
    kinds = [2, 3, 3] + [6] * 256
    for b in range(32, 127):
        tokens.append("\u2581" if b == 32 else chr(b))
        kinds.append(1)
    return tokens, [0.0] * len(tokens), kinds


def write(path, width=32, layers=1, heads=2, inner=64, context=8192):
    """Writes a Llama of random weights in the GGUF format, version 3."""
    tokens, scores, kinds = vocabulary()
    header = [
        ("general.architecture", STRING, "llama"), ("general.name", STRING, "tiny"),
        ("llama.context_length", UINT32, context), ("llama.embedding_length", UINT32, width),
        ("llama.block_count", UINT32, layers), ("llama.feed_forward_length", UINT32, inner),
        ("llama.attention.head_count", UINT32, heads), ("llama.attention.head_count_kv", UINT32, heads),
        ("llama.attention.layer_norm_rms_epsilon", FLOAT32, 1e-5), ("llama.rope.dimension_count", UINT32, width // heads),
        ("llama.vocab_size", UINT32, len(tokens)),
        ("tokenizer.ggml.model", STRING, "llama"), ("tokenizer.ggml.tokens", ARRAY, (STRING, tokens)),
        ("tokenizer.ggml.scores", ARRAY, (FLOAT32, scores)), ("tokenizer.ggml.token_type", ARRAY, (INT32, kinds)),
        ("tokenizer.ggml.unknown_token_id", UINT32, 0), ("tokenizer.ggml.bos_token_id", UINT32, 1),
        ("tokenizer.ggml.eos_token_id", UINT32, 2), ("tokenizer.ggml.add_bos_token", BOOL, True),
    ]
    shapes = [("token_embd.weight", [width, len(tokens)]), ("output_norm.weight", [width]), ("output.weight", [width, len(tokens)])]
    for n in range(layers):
        shapes += [("blk.%d.%s.weight" % (n, name), shape) for name, shape in (
            ("attn_norm", [width]), ("attn_q", [width, width]), ("attn_k", [width, width]), ("attn_v", [width, width]),
            ("attn_output", [width, width]), ("ffn_norm", [width]), ("ffn_gate", [width, inner]), ("ffn_up", [width, inner]),
            ("ffn_down", [inner, width]))]
    chance = random.Random(1)
    infos, data = b"", b""
    for name, shape in shapes:
        data += b"\0" * (-len(data) % 32)
        infos += text(name) + struct.pack("<I", len(shape)) + b"".join(struct.pack("<Q", d) for d in shape)
        infos += struct.pack("<IQ", 0, len(data))
        count = math.prod(shape)
        values = [1.0] * count if "norm" in name else [chance.gauss(0, 0.3) for _ in range(count)]
        data += struct.pack("<%df" % count, *values)
    head = b"GGUF" + struct.pack("<IQQ", 3, len(shapes), len(header))
    head += b"".join(text(k) + struct.pack("<I", kind) + pack(kind, v) for k, kind, v in header) + infos
    with open(path, "wb") as f:
        f.write(head + b"\0" * (-len(head) % 32) + data)


def main():
    import xllamacpp as llama

    path = sys.argv[1] + "/tiny.gguf"
    write(path)
    p = llama.CommonParams()
    p.model.path, p.model_alias = path, ["tiny"]
    p.hostnames = ["127.0.0.1"]
    p.port, p.n_ctx, p.n_parallel, p.n_threads_http = 0, 8192, 1, 2
    p.cpuparams.n_threads = 1
    p.warmup, p.endpoint_metrics = False, True
    server = llama.Server(p)
    print(server.listening_address, flush=True)
    sys.stdin.read()
    os._exit(0)  # its threads would go on


main()
