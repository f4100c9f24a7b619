import { parseArgs } from 'node:util';
import { type SandboxAccess, startSandbox } from './server.ts';

/** `node sandbox/main.ts`: the two providers as a program of their own, for any application. */
const usage = `usage: node sandbox/main.ts [--port 4100] [--webhooks http://127.0.0.1:3000/api/v1/webhooks]
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
  console.log(pageOf(sandbox.access));
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void sandbox.stop().then(() => process.exit(0)));
}

function pageOf({ url, devicemaker, activitynet }: SandboxAccess): string {
  return `
  Sandbox: a device maker and an activity platform. Ctrl-C stops it.

  Page           ${url}/

  DEVICEMAKER_API_URL=${devicemaker.api_url}
  DEVICEMAKER_AUTHORIZE_URL=${devicemaker.authorize_url}
  DEVICEMAKER_TOKEN_URL=${devicemaker.token_url}
  DEVICEMAKER_CLIENT_ID=${devicemaker.client_id}
  DEVICEMAKER_CLIENT_SECRET=${devicemaker.client_secret}
  ACTIVITYNET_API_URL=${activitynet.api_url}
  ACTIVITYNET_OAUTH_URL=${activitynet.oauth_url}
  ACTIVITYNET_CLIENT_ID=${activitynet.client_id}
  ACTIVITYNET_CLIENT_SECRET=${activitynet.client_secret}
  ACTIVITYNET_SUBSCRIPTION_ID=${activitynet.subscription_id}
`;
}
