drop table phone.fence;
