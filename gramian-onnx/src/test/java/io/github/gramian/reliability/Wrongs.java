package io.github.gramian.reliability;

/** What was found to be wrong, told at once: others may wait for a long time. */
final class Wrongs {

    private int size;

    void add(String what) {
        size++;
        System.out.println(what);
    }

    int size() {
        return size;
    }
}
