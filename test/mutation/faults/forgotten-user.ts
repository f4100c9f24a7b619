import type { PlantedFault } from '../planted.ts';

const condition = /(?:\w+\.)?user_id = (?:\$\d|\w+\.user_id)/g;

/** Rows of one folder whose fault is a statement without its condition on the user. `before` contains the condition. */
export function forgottenUser(folder: string, ownTest: string) {
  return (file: string, before: string, promise: string, test: string | null = ownTest): PlantedFault => ({
    kind: 'tenant',
    promise,
    file: `${folder}/${file}`,
    before,
    // A parameter without a use fails in PostgreSQL, so that nobody would miss the mistake.
    after: before.replaceAll(condition, (text) => {
      const [parameter] = /\$\d/.exec(text) ?? [];
      return parameter === undefined ? 'true' : `${parameter}::uuid is not null`;
    }),
    test,
  });
}
