import type { OfUser } from '../of-user.ts';
import '../records.css';
import './workouts.css';
import { WorkoutList } from './workout-list.tsx';
import { WorkoutPage } from './workout-page.tsx';

/** The workouts of a user, or the page of the one that the address names. */
export const Workouts = ({ item, ...of }: OfUser & { item: string }) =>
  item === '' ? <WorkoutList {...of} /> : <WorkoutPage {...of} id={item} />;
