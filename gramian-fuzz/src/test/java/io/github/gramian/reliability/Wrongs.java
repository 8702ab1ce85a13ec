package io.github.gramian.reliability;

/** Everything that was found to be wrong, printed immediately: later findings may take a long time. */
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
