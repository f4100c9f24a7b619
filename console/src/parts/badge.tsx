const good = ['active', 'fresh', 'done', 'delivered', 'connected', 'enabled', 'received', 'configured'];
const bad = ['dead', 'stale', 'failed', 'expired', 'revoked', 'disabled', 'dropped', 'missing'];

/** The state of something, in words; the colour only repeats it. */
export function Badge({ state }: { state: string }) {
  const kind = good.includes(state) ? 'good' : bad.includes(state) ? 'bad' : '';
  return <span class={`badge ${kind}`}>{state}</span>;
}
