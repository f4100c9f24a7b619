import type { Command } from '../command.ts';
import { runMcp } from '../mcp.ts';

export const mcp: Command = {
  name: 'mcp',
  summary: 'Serve the Model Context Protocol over stdio',
  usage: '',
  arity: [0, 0],
  options: {},
  notes:
    'Assistants start it as a program. It forwards each message to /mcp of the server, with the key of the login or of PULSEBUS_API_KEY.',
  examples: ['pulsebus mcp', 'npx @pulsebus/client mcp'],
  endsBySignal: true,
  run: ({ credentials, signal }) =>
    runMcp({ ...credentials(), stdin: process.stdin, stdout: process.stdout, signal }),
};
