import type pg from 'pg';
import type { Plan } from './dataset/plan.ts';
import type { Load } from './load/load.ts';
import type { Product } from './product.ts';
import type { Section } from './report.ts';
import type { Sizes } from './sizes.ts';

/** The environment of all measurements. */
export interface Bench {
  readonly sizes: Sizes;
  readonly plan: Plan;
  /** The database of the data set. */
  readonly databaseUrl: string;
  readonly pool: pg.Pool;
  readonly natsUrl: string | null;
  readonly adminUrl: string;
  /** All services in one process, on the data set. */
  readonly product: Product;
  readonly load: Load;
  /** The other checkout of the measurement `commits`: a folder or a git revision. */
  readonly against: string;
  readonly say: (line: string) => void;
}

/** A part of the bench that can be run separately. */
export interface Measurement {
  readonly name: string;
  /** It reads nothing of the data set. A run of such measurements only builds the small one. */
  readonly hasOwnData?: true;
  run(bench: Bench): Promise<Section>;
}
