drop index users.person_long_grams;
