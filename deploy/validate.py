"""Check manifests against the schemas of Kubernetes, where an unknown member is an error.

    validate.py VERSION FILE...
"""

import sys

import kubernetes_validate
import yaml

version, files = sys.argv[1], sys.argv[2:]
for file in files:
    with open(file, encoding="utf-8") as text:
        for document in yaml.safe_load_all(text):
            if document.get("apiVersion", "").startswith("kustomize.") or "kind" not in document:
                continue
            kubernetes_validate.validate(document, version, strict=True)
            print(file, document["kind"], document["metadata"]["name"])
