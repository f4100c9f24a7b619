/** What the caller knows: folders, and servers that run already. */
export interface StackOptions {
  dataDir: string;
  stackDir?: string;
  databaseUrl?: string;
  natsUrl?: string;
  debianMirror?: string;
  /** For tests: nothing is synced to disk, and the data is thrown away at stop. */
  ephemeral?: boolean;
  /** Whether the URL's role may make databases; tests always may. */
  createsDatabases?: boolean;
  log(line: string): void;
  /** Called when a server that was started here ends without being stopped, with a sentence that says why. */
  serverEnded?(sentence: string): void;
}

/** Ends one thing that was started. */
export type Stop = () => Promise<void>;
