/** The messages that this process may begin per endpoint. */
export interface Slots {
  take(endpointId: string): void;
  give(endpointId: string): void;
  /** Free slots of the endpoints that have messages in progress. All others have every slot. */
  free(): Map<string, number>;
}

/** Slots of which each endpoint has `parallel`. */
export function newSlots(parallel: number): Slots {
  const taken = new Map<string, number>();
  const change = (endpointId: string, by: number) => {
    const count = (taken.get(endpointId) ?? 0) + by;
    if (count === 0) taken.delete(endpointId);
    else taken.set(endpointId, count);
  };
  return {
    take: (endpointId) => change(endpointId, 1),
    give: (endpointId) => change(endpointId, -1),
    free: () => new Map([...taken].map(([endpointId, count]) => [endpointId, parallel - count])),
  };
}
