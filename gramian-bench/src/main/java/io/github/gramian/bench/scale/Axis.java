package io.github.gramian.bench.scale;

/** One of the sizes that a sweep changes while the others stand still. */
public enum Axis {
    CHANNELS("C", "channels of the maps"),
    OUTPUT("C′", "columns of W"),
    POSITIONS("N", "positions of a map"),
    BATCH("batch", "images at once"),
    CLASSES("classes", "outputs of the classifier");

    private final String symbol;
    private final String meaning;

    Axis(String symbol, String meaning) {
        this.symbol = symbol;
        this.meaning = meaning;
    }

    /** As formulas write it. */
    public String symbol() {
        return symbol;
    }

    /** In words. */
    public String meaning() {
        return meaning;
    }
}
