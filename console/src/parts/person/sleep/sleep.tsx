import type { OfUser } from '../of-user.ts';
import '../records.css';
import './sleep.css';
import { Month } from './month.tsx';
import { NightPage } from './night.tsx';

/** The nights of a month, or the page of the one that the address names. */
export const Sleep = ({ item, ...of }: OfUser & { item: string }) =>
  item === '' ? <Month {...of} /> : <NightPage {...of} id={item} />;
