// The bridge as a program, for test/client/mcp.test.ts: MCP_URL and MCP_KEY name the server and the credential.
import { runMcp } from '../../clients/typescript/src/cli/mcp.ts';

const { MCP_URL = '', MCP_KEY = '' } = process.env;
const end = new AbortController();
process.once('SIGTERM', () => end.abort());
await runMcp({
  baseUrl: MCP_URL,
  apiKey: MCP_KEY,
  stdin: process.stdin,
  stdout: process.stdout,
  signal: end.signal,
});
process.exit(0);
