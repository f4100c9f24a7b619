/**
 * Bodies that this process has just stored, for its own worker. Reading a large body back from its row would take three
 * times its size in memory. An entry exists only during the call that stored it, within a total limit. A worker reads
 * any other body from its row.
 */
const mostBytes = 128 * 1024 * 1024;
const bodies = new Map<string, Buffer>();
const workers = new Map<string, number>();
let heldBytes = 0;

/** Registers that this process works on deliveries of a provider. Returns a function that unregisters it. */
export function expectBodies(provider: string): () => void {
  workers.set(provider, (workers.get(provider) ?? 0) + 1);
  return () => void workers.set(provider, (workers.get(provider) ?? 1) - 1);
}

/** Keeps a stored body if a worker of this process may take it and there is room. */
export function keepAtHand(provider: string, id: string, body: Buffer): void {
  if ((workers.get(provider) ?? 0) === 0 || heldBytes + body.length > mostBytes) return;
  bodies.set(id, body);
  heldBytes += body.length;
}

/** Removes a body and returns it. The caller may modify it. */
export function takeFromHand(id: string): Buffer | undefined {
  const body = bodies.get(id);
  if (body === undefined) return undefined;
  bodies.delete(id);
  heldBytes -= body.length;
  return body;
}
