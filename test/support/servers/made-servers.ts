/** How many databases and brokers of its own something makes. */
export interface MadeServers {
  readonly databases: number;
  readonly brokers: number;
}

let made: MadeServers = { databases: 0, brokers: 0 };

/** Counts a database that a test makes. */
export function countDatabase(): void {
  made = { ...made, databases: made.databases + 1 };
}

/** Counts a broker that a test starts. */
export function countBroker(): void {
  made = { ...made, brokers: made.brokers + 1 };
}

/** What was made since the last call. The runner asks after each file of a process. */
export function takeMadeServers(): MadeServers {
  const taken = made;
  made = { databases: 0, brokers: 0 };
  return taken;
}
