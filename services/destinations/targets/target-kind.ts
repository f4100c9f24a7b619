import { z } from 'zod';
import { parseParams } from '../../../domain/params.ts';
import type { Target, TargetKind } from './target.ts';

/** Makes a kind of its typed parts. Its settings are parsed wherever they come from. */
export function targetKind<S extends object>(target: Target<S>): TargetKind {
  const { settings: schema, secrets, place } = target;
  const wrapped = z.object({ settings: schema });
  return {
    secrets,
    place,
    parse: (settings) => Object.fromEntries(Object.entries(parseParams(wrapped, { settings }).settings)),
    hostsOf: (settings) => target.hostsOf(schema.parse(settings)),
    part: (run, settings) => target.part(run, schema.parse(settings)),
    erase: (run, settings, userIds) => target.erase(run, schema.parse(settings), userIds),
    idleMs: (settings, pace) => target.idleMs(schema.parse(settings), pace),
  };
}
