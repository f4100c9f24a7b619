/**
 * Bodies that this process has just stored, for its own worker: what was written need not be read back, which takes
 * the memory of a large body three times over. Only as long as the call that stored them, and up to a limit; whatever
 * is not at hand is read from its row.
 */
const mostBytes = 128 * 1024 * 1024;
const bodies = new Map<string, Buffer>();
const workers = new Map<string, number>();
let heldBytes = 0;

/** Says that deliveries of a provider are worked on in this process; returns what takes it back. */
export function expectBodies(provider: string): () => void {
  workers.set(provider, (workers.get(provider) ?? 0) + 1);
  return () => void workers.set(provider, (workers.get(provider) ?? 1) - 1);
}

/** Keeps a body that was stored, if somebody here may want it and there is room. */
export function keepAtHand(provider: string, id: string, body: Buffer): void {
  if ((workers.get(provider) ?? 0) === 0 || heldBytes + body.length > mostBytes) return;
  bodies.set(id, body);
  heldBytes += body.length;
}

/** Hands a body over: it is kept no longer, and its taker may do with it what it likes. */
export function takeFromHand(id: string): Buffer | undefined {
  const body = bodies.get(id);
  if (body === undefined) return undefined;
  bodies.delete(id);
  heldBytes -= body.length;
  return body;
}
