import type { ProviderName } from '../../providers/all.ts';
import { activitynet } from './providers/activitynet.ts';
import { concept2 } from './providers/concept2.ts';
import { devicemaker } from './providers/devicemaker.ts';
import { dexcom } from './providers/dexcom.ts';
import { file } from './providers/file.ts';
import { googlehealth } from './providers/googlehealth.ts';
import { intervals } from './providers/intervals.ts';
import { oura } from './providers/oura.ts';
import { outsideDescriptors } from './providers/outside.ts';
import { phone } from './providers/phone.ts';
import { polar } from './providers/polar.ts';
import { suunto } from './providers/suunto.ts';
import { ultrahuman } from './providers/ultrahuman.ts';
import { wahoo } from './providers/wahoo.ts';
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
  wahoo,
  polar,
  ultrahuman,
  dexcom,
  concept2,
  file,
  intervals,
  ...outsideDescriptors,
};
