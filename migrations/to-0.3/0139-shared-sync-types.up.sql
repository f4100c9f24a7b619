-- Several types that an app tracks may have one name in its uploads: DISTANCE is that of walking and of cycling. The type is
-- sent when as many ends came as tracked types began. `ends`: what each end reported, by its time.
alter table phone.sync_type
  add column shares int not null default 1,
  add column ends jsonb not null default '{}';
