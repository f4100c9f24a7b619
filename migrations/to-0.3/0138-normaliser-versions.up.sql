-- The normaliser version that the kept deliveries of a provider were processed with. A newer one starts a run of them.
create table deliveries.normaliser (
  provider text primary key,
  version int not null
);

-- Versions of the release before, which kept none.
insert into deliveries.normaliser (provider, version) values ('devicemaker', 4), ('phone', 4);
