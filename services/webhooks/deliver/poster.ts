import type { Mixin } from '../../../runtime/environment.ts';
import { newPoster, type Poster } from '../../../runtime/http/guarded-post.ts';
import type { Resolve } from '../../../runtime/http/guarded-request.ts';

/** The poster of a process as a mixin. Origins of WEBHOOK_ENDPOINT_ORIGINS are allowed as they are; names of others are resolved by `resolve`. */
export function poster(resolve?: Resolve): Mixin<Poster> {
  return ({ config, onStop }) => {
    const made = newPoster({ origins: config.WEBHOOK_ENDPOINT_ORIGINS, resolve });
    onStop(() => made.close());
    return made;
  };
}
