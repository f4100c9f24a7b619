drop schema users cascade;
