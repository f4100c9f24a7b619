import type { DestinationKind } from '../../../../contracts/destinations/schemas.ts';
import { jetstream } from './jetstream/jetstream.ts';
import { postgres } from './postgres/postgres.ts';
import { s3 } from './s3/s3.ts';
import { type TargetKind, targetKind } from './target.ts';

/** The kinds of destinations. */
export const targets: Readonly<Record<DestinationKind, TargetKind>> = {
  s3: targetKind(s3),
  jetstream: targetKind(jetstream),
  postgres: targetKind(postgres),
};
