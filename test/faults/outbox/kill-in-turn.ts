import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster } from '../support/cluster.ts';
import type { Random } from '../support/random.ts';

/** How many processes are killed, one after the other. */
export interface Kills {
  readonly count: number;
  readonly random: Random;
  readonly log: (line: string) => void;
  /** Resolves when the next kill is due. */
  due(killed: number): Promise<void>;
}

/** Kills processes in a random order, each as often as the others, and restarts them. Returns their names. */
export async function killInTurn(cluster: Cluster, { count, random, log, due }: Kills): Promise<string[]> {
  const names: string[] = [];
  while (names.length < count) {
    const round = [...cluster.names];
    while (round.length > 0 && names.length < count) {
      const [name = ''] = round.splice(random.below(round.length), 1);
      await due(names.length);
      await sleep(random.below(1000));
      cluster.process(name).signal('SIGKILL');
      await sleep(random.below(2000));
      await cluster.again(name);
      await cluster.untilWhole();
      names.push(name);
      log(`killed ${names.length} of ${count}: ${name}`);
    }
  }
  return names;
}
