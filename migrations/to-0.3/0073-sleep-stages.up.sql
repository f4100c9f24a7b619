-- When each stage of a sleep was measured: [stage, first second, last second], seconds after the start of the session.
-- Null if the provider sent no intervals, and for sessions of the previous version.
alter table timeseries.sleep_session add column stage_intervals jsonb;
-- Planner statistics would copy values into a table of their own; no statement filters by the column.
alter table timeseries.sleep_session alter column stage_intervals set statistics 0;
