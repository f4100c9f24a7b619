import { parseArgs } from 'node:util';
import type { Provider, SandboxAccess } from '../simulation/simulation.ts';
import { startSandbox } from './server.ts';

/** `node sandbox/server/main.ts` runs the simulated providers as a separate program, for any application. */
const usage = `usage: node sandbox/server/main.ts [--port 4100] [--webhooks http://127.0.0.1:3000/api/v1/webhooks]
  [--style push|ping] [--speed 1] [--seed sandbox] [--file sandbox.json] [--batch-seconds 5] [--redirect-origin https://…]`;

const number = (text: string | undefined, otherwise: number) => {
  if (text === undefined) return otherwise;
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new Error(usage);
};

const { values } = parseArgs({
  options: {
    port: { type: 'string' },
    webhooks: { type: 'string' },
    style: { type: 'string' },
    speed: { type: 'string' },
    seed: { type: 'string' },
    file: { type: 'string' },
    'batch-seconds': { type: 'string' },
    'redirect-origin': { type: 'string', multiple: true },
    help: { type: 'boolean' },
  },
});

if (values.help === true) {
  console.log(usage);
} else {
  const sandbox = await startSandbox({
    port: number(values.port, 4100),
    speed: number(values.speed, 1),
    seed: values.seed ?? 'sandbox',
    file: values.file ?? null,
    application: {
      ...(values.webhooks === undefined ? {} : { webhooks: values.webhooks }),
      ...(values.style === undefined ? {} : { style: values.style === 'ping' ? 'ping' : 'push' }),
    },
    limits: { batchWindowMs: number(values['batch-seconds'], 5) * 1000 },
    redirectOrigins: values['redirect-origin'] ?? [],
  });
  console.log(pageOf(sandbox.access, sandbox.providers));
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void sandbox.stop().then(() => process.exit(0)));
}

function pageOf({ url, settings }: SandboxAccess, providers: readonly Provider[]): string {
  const lines = Object.entries(settings).map(([name, value]) => `  ${name}=${value}`);
  return `
  Sandbox: ${providers.map(({ title }) => title).join(', ')}. Ctrl-C stops it.

  Page           ${url}/

${lines.join('\n')}
`;
}
