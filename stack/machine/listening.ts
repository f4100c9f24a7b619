// Checks that the configured ports are free before anything is started.

import { createServer } from 'node:net';
import type { Config } from '../../config.ts';
import { errorCodeOf } from '../../domain/error-code.ts';
import { StartError } from './start-error.ts';

const HIGHEST_PORT = 65_535;
const PORTS_TRIED = 20;

/** The settings that name a port. */
type PortSetting = 'PORT' | 'METRICS_PORT';

/** Tries each port on a host. @throws StartError naming its setting or HOST, and what to set instead. */
export async function checkListening(
  host: string,
  ports: readonly number[],
  setting: PortSetting = 'PORT',
): Promise<void> {
  for (const port of ports) {
    const code = await failureToListen(host, port);
    if (code === null) continue;
    throw new StartError(sentenceOf(code, host, port, await freePortAfter(host, port), setting));
  }
}

/** The ports of figures: one for each process, from METRICS_PORT on; none where it is unset or left to the system. */
export function metricsPortsOf({ METRICS_PORT: first = 0 }: Pick<Config, 'METRICS_PORT'>, processes: number) {
  return first === 0 ? [] : Array.from({ length: processes }, (_, index) => first + index);
}

/** Tries the ports that figures are served on. @throws StartError naming METRICS_PORT, also for a gateway's port. */
export async function checkMetricsPorts(
  host: string,
  metricsPorts: readonly number[],
  gatewayPorts: readonly number[],
): Promise<void> {
  const shared = metricsPorts.find((port) => port !== 0 && gatewayPorts.includes(port));
  if (shared !== undefined)
    throw new StartError(
      `METRICS_PORT: ${shared} is also a port of the gateway. Set METRICS_PORT to another one.`,
    );
  await checkListening(host, metricsPorts, 'METRICS_PORT');
}

/** The explanation of a failure to listen. `free` is an available port, or null. */
export function sentenceOf(
  code: string,
  host: string,
  port: number,
  free: number | null,
  setting: PortSetting = 'PORT',
): string {
  const example = free === null ? '' : `: ${setting}=${free} npm start`;
  const other = `set ${setting} to another one${example}`;
  switch (code) {
    case 'EADDRINUSE':
      return `${setting}: another program listens on ${host}:${port}. End it, or ${other}`;
    case 'EACCES':
      return `${setting}: this account may not listen on ${port}: ports below 1024 belong to root. Put a proxy in front, and ${other}`;
    case 'EADDRNOTAVAIL':
      return `HOST: ${host} is not an address of this machine. Set it to 127.0.0.1 (this machine only) or 0.0.0.0 (every network).`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `HOST: ${host} is not an address, and no name that this machine can resolve. Set it to 127.0.0.1 or 0.0.0.0.`;
    default:
      return `HOST, ${setting}: this machine cannot listen on ${host}:${port} (${code}).`;
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
  server.once('error', (error) => resolve(errorCodeOf(error) ?? error.message));
  server.listen(port, host, () => server.close(() => resolve(null)));
  return promise;
}
