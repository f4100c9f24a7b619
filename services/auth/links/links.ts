import { randomBytes } from 'node:crypto';
import type { Config } from '../../../config.ts';
import type { Meta } from '../../../runtime/environment.ts';
import { publicUrl } from '../../../runtime/provider-settings.ts';

/** What the address of the console follows from. */
export interface Linking {
  readonly config: Config;
  readonly meta: Meta;
}

/** A new token of a link: 43 characters of base64url. It stands in the fragment, which browsers send to no server. */
export const newLinkToken = () => randomBytes(32).toString('base64url');

/** The address of the console, which links of its pages begin with. */
export const linkBase = ({ config, meta }: Linking) => `${publicUrl(config, meta.gateway_url)}/console`;
