package io.github.gramian.search.internal;

/** When a search ends, if not with its space. */
public sealed interface SearchLimit {

    /** After this number of minutes, the training of the chosen recipe included. */
    record Minutes(double minutes) implements SearchLimit {
        public Minutes {
            if (!(minutes > 0 && minutes <= 100_000)) {
                throw new IllegalArgumentException("the minutes of a search must be above 0 but are " + minutes);
            }
        }

        double seconds() {
            return 60 * minutes;
        }
    }

    /** After this number of trials, however long they take: two such searches give the same, bit for bit. */
    record Trials(int trials) implements SearchLimit {
        public Trials {
            if (trials < 1) {
                throw new IllegalArgumentException("a search needs at least 1 trial but got " + trials);
            }
        }
    }
}
