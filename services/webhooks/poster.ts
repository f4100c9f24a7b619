import type { Mixin } from '../../runtime/environment.ts';
import { newPoster, type Poster } from '../../runtime/guarded-post.ts';

/** The poster of a process as a mixin. Origins of WEBHOOK_ENDPOINT_ORIGINS are allowed as they are. */
export function poster(): Mixin<Poster> {
  return {
    start: async ({ config }) => newPoster({ origins: config.WEBHOOK_ENDPOINT_ORIGINS }),
    stop: async (value) => value.close(),
  };
}
