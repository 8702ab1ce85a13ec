package io.github.gramian.bench.scale;

/** One of the sizes that a sweep changes while the others stand still. */
public enum Axis {
    /** C. */
    CHANNELS("C", "channels of the maps") {
        @Override
        HeadSizes at(HeadSizes base, int value) {
            return new HeadSizes(value, base.outputDim(), base.positions(), base.batch(), base.classes());
        }
    },
    /** C′. */
    OUTPUT("C′", "columns of W") {
        @Override
        HeadSizes at(HeadSizes base, int value) {
            return new HeadSizes(base.channels(), value, base.positions(), base.batch(), base.classes());
        }
    },
    /** N. */
    POSITIONS("N", "positions of a map") {
        @Override
        HeadSizes at(HeadSizes base, int value) {
            return new HeadSizes(base.channels(), base.outputDim(), value, base.batch(), base.classes());
        }
    },
    /** Images at once. */
    BATCH("batch", "images at once") {
        @Override
        HeadSizes at(HeadSizes base, int value) {
            return new HeadSizes(base.channels(), base.outputDim(), base.positions(), value, base.classes());
        }
    },
    /** Outputs of the classifier. */
    CLASSES("classes", "outputs of the classifier") {
        @Override
        HeadSizes at(HeadSizes base, int value) {
            return new HeadSizes(base.channels(), base.outputDim(), base.positions(), base.batch(), value);
        }
    };

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

    /** The base with this size changed. */
    abstract HeadSizes at(HeadSizes base, int value);
}
