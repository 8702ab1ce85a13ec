package io.github.gramian.model.config;

/** Checks that aggregators with a codebook share. */
final class CodebookLength {

    private static final int MAX_WORDS = 65_536;

    private CodebookLength() {}

    /** Refuses an impossible number of codewords. */
    static void check(String field, int words) {
        if (words < 1 || words > MAX_WORDS) {
            throw new IllegalArgumentException(field + " must lie in 1.." + MAX_WORDS + " but is " + words);
        }
    }

    /** Dimensions of the vector: so many for each codeword and channel. */
    static int of(String field, int numbers, int words, int channels) {
        long length = (long) numbers * words * channels;
        if (length > Integer.MAX_VALUE) {
            throw new IllegalArgumentException(words + " " + field + " for " + channels + " channels make " + length
                    + " dimensions, more than can be classified; lower " + field + " or convolution");
        }
        return (int) length;
    }
}
