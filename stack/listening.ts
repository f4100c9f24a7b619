// Whether this machine lets us listen where the settings say, looked at before anything is started.
import { createServer } from 'node:net';
import { StartError } from './start-error.ts';

const HIGHEST_PORT = 65_535;
const PORTS_TRIED = 20;

/** Tries each port on a host. @throws StartError naming PORT or HOST, and what to set instead. */
export async function checkListening(host: string, ports: readonly number[]): Promise<void> {
  for (const port of ports) {
    const code = await failureToListen(host, port);
    if (code !== null) throw new StartError(sentenceOf(code, host, port, await freePortAfter(host, port)));
  }
}

/** What a failure to listen means; `free` is a port that can be had instead, or null. */
export function sentenceOf(code: string, host: string, port: number, free: number | null): string {
  const other = free === null ? 'set PORT to another one' : `set PORT to another one: PORT=${free} npm start`;
  switch (code) {
    case 'EADDRINUSE':
      return `PORT: another program listens on ${host}:${port}. End it, or ${other}`;
    case 'EACCES':
      return `PORT: this account may not listen on ${port}: ports below 1024 belong to root. Put a proxy in front, and ${other}`;
    case 'EADDRNOTAVAIL':
      return `HOST: ${host} is not an address of this machine. Set it to 127.0.0.1 (this machine only) or 0.0.0.0 (every network).`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `HOST: ${host} is not an address, and no name that this machine can resolve. Set it to 127.0.0.1 or 0.0.0.0.`;
    default:
      return `HOST, PORT: this machine cannot listen on ${host}:${port} (${code}).`;
  }
}

async function freePortAfter(host: string, port: number): Promise<number | null> {
  const first = Math.max(port + 1, 1024);
  for (let other = first; other < first + PORTS_TRIED && other <= HIGHEST_PORT; other += 1)
    if ((await failureToListen(host, other)) === null) return other;
  return null;
}

function failureToListen(host: string, port: number): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<string | null>();
  const server = createServer();
  server.once('error', (error: Error & { code?: string }) => resolve(error.code ?? error.message));
  server.listen(port, host, () => server.close(() => resolve(null)));
  return promise;
}
