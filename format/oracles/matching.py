"""Reads graphs as JSON lines, each the matrix of the costs of pairs, and writes the least cost of a perfect matching."""

import json
import sys

import networkx

for line in sys.stdin:
    costs = json.loads(line)
    graph = networkx.Graph()
    for i, row in enumerate(costs):
        for j in range(i):
            graph.add_edge(j, i, weight=-row[j])
    pairs = networkx.max_weight_matching(graph, maxcardinality=True)
    assert 2 * len(pairs) == len(costs)
    print(sum(costs[max(pair)][min(pair)] for pair in pairs), flush=True)
