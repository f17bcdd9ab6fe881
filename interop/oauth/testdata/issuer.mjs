// An authorization server for one test. Its clients are called by the algorithm that their tokens are signed with, and
// get one for whatever resource they ask for.
import { createServer } from "node:http";
import { generateKeyPairSync } from "node:crypto";
import { pathToFileURL } from "node:url";

const [library, secret] = process.argv.slice(2);
const { default: Provider } = await import(pathToFileURL(library));

const key = (alg, kind, options) => ({
  ...generateKeyPairSync(kind, options).privateKey.export({ format: "jwk" }), kid: alg, alg, use: "sig",
});
const client = (name) => ({
  client_id: name, client_secret: secret, grant_types: ["client_credentials"], redirect_uris: [], response_types: [],
});

const server = createServer();
server.listen(0, "127.0.0.1", () => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const provider = new Provider(issuer, {
    clients: ["RS256", "ES256", "EdDSA", "PS256"].map(client),
    jwks: {
      keys: [
        key("RS256", "rsa", { modulusLength: 2048 }), key("PS256", "rsa", { modulusLength: 2048 }),
        key("ES256", "ec", { namedCurve: "P-256" }), key("EdDSA", "ed25519", {}),
      ],
    },
    scopes: ["league:admin", "league:watch"],
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_, resource, asks) => ({
          scope: "league:admin league:watch", audience: resource, accessTokenFormat: "jwt", accessTokenTTL: 300,
          jwt: { sign: { alg: asks.clientId } },
        }),
      },
    },
  });
  server.on("request", provider.callback());
  console.log(JSON.stringify({ issuer }));
});
process.stdin.on("end", () => process.exit(0)).resume();
