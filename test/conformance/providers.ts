import type { ProviderName } from '../../providers/all.ts';
import { activitynet } from './providers/activitynet.ts';
import { devicemaker } from './providers/devicemaker.ts';
import { file } from './providers/file.ts';
import { googlehealth } from './providers/googlehealth.ts';
import { oura } from './providers/oura.ts';
import { phone } from './providers/phone.ts';
import { polar } from './providers/polar.ts';
import { suunto } from './providers/suunto.ts';
import { whoop } from './providers/whoop.ts';
import { withings } from './providers/withings.ts';
import type { Descriptor } from './scenarios.ts';

/** The descriptors of all providers. The compiler requires one of each, with an answer for every scenario. */
export const descriptors: { readonly [N in ProviderName]: Descriptor } = {
  devicemaker,
  activitynet,
  phone,
  googlehealth,
  withings,
  whoop,
  oura,
  suunto,
  polar,
  file,
};
