/* Marks for dtrace. */
provider shop {
    probe sold__out(int number, char *name, long price);
    probe closed();
};
