// Runs a league to its end over an MCP client and prints what it saw.
// The client is connected; subscribe makes it hear of a resource.
export async function play(client, subscribe, heard) {
  const tools = (await client.listTools()).tools.map((tool) => tool.name);
  const prompts = (await client.listPrompts()).prompts.map((prompt) => prompt.name);
  await subscribe("league://standings");
  const started = await client.callTool({ name: "start_league", arguments: {} });
  if (started.isError) throw new Error(started.content[0].text);
  const progress = [];
  let seen;
  do {
    const call = { name: "watch_league", arguments: { since: seen ? seen.matches_completed : 0 } };
    const answer = await watch(client, call, (p) => progress.push(p.progress));
    seen = answer.structuredContent;
  } while (seen.state !== "LEAGUE_COMPLETED");
  for (const end = Date.now() + 10_000; heard.length < seen.total_matches && Date.now() < end; ) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const read = await client.readResource({ uri: "league://standings" });
  const table = JSON.parse(read.contents[0].text);
  console.log(JSON.stringify({ tools, prompts, progress, updates: heard.length, state: table.state, standings: table.standings }));
}

// The second argument of callTool differs between the two generations of the SDK.
function watch(client, call, onprogress) {
  const options = { onprogress, timeout: 60_000 };
  return client.callTool.length > 2 || globalThis.threeArguments
    ? client.callTool(call, undefined, options)
    : client.callTool(call, options);
}
