// Plays steps against a server that it starts, with its own environment: {command, args, steps}, a step being either
// {list: true} or {name, arguments, meta}, meta being what a host says with the call.
const { Client } = require("@modelcontextprotocol/sdk/client/index.js");
const { StdioClientTransport } = require("@modelcontextprotocol/sdk/client/stdio.js");

async function main() {
  const { command, args, steps } = JSON.parse(process.argv[process.argv.length - 1]);
  const transport = new StdioClientTransport({ command, args, env: process.env, stderr: "inherit" });
  const client = new Client({ name: "ralph-test", version: "0.0.0" });
  await client.connect(transport);
  const pid = transport.pid;
  const answers = [];
  for (const step of steps) {
    const asked = step.list ? client.listTools() : client.callTool({ name: step.name, arguments: step.arguments, _meta: step.meta });
    answers.push(await asked.catch((error) => ({ refused: { code: error.code, message: error.message } })));
  }
  const server = { ...client.getServerVersion(), instructions: client.getInstructions() };
  await client.close();
  console.log(JSON.stringify({ server, pid, answers }));
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
