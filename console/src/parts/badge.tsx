const good = [
  'active',
  'fresh',
  'done',
  'delivered',
  'connected',
  'enabled',
  'received',
  'configured',
  'running',
];
const bad = [
  'dead',
  'stale',
  'failed',
  'expired',
  'revoked',
  'disabled',
  'dropped',
  'missing',
  'failing',
  'no_address',
];

/** The state of something, in words; the colour only repeats it. */
export function Badge({ state }: { state: string }) {
  const kind = good.includes(state) ? 'good' : bad.includes(state) ? 'bad' : '';
  return <span class={`badge ${kind}`}>{state}</span>;
}
