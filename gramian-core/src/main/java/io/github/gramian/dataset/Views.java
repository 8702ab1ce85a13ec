package io.github.gramian.dataset;

/**
 * How a protocol looks at an image. Scores seen through different views are not comparable, so this travels in every
 * passport.
 *
 * @param resolution side of the square that the network sees, in pixels
 * @param training what is cut from a training image
 * @param test what is cut from a test image
 */
public record Views(int resolution, Cut training, Cut test) {

    /** What is cut from one image. */
    public enum Cut {
        /** The whole image, resized to the square without regard to its aspect. */
        WHOLE("whole", 1),
        /** The square in the middle. */
        CENTRE("centre", 1),
        /** The middle and the four corners. */
        FIVE("centre+4corners", 5),
        /** Ten at random, the middle and the four corners: the paper's fifteenfold augmentation. */
        FIFTEEN("10random+centre+4corners", 15),
        /** A square at random, newly drawn every time, perhaps mirrored. */
        RANDOM("random+flip", 1);

        private final String description;
        private final int count;

        Cut(String description, int count) {
            this.description = description;
            this.count = count;
        }

        /** Its name in passports. */
        public String description() {
            return description;
        }

        /** How many crops of an image there are at a time. */
        public int count() {
            return count;
        }
    }

    public Views {
        if (resolution < 1) {
            throw new IllegalArgumentException("resolution must be at least 1 but is " + resolution);
        }
    }

    /** The paper's textures: fifteen crops of 224 px train, five test. */
    public static Views paperTextures() {
        return new Views(224, Cut.FIFTEEN, Cut.FIVE);
    }

    /** The paper's birds and aircraft: the whole image at 224 px. */
    public static Views paperFineGrained() {
        return new Views(224, Cut.WHOLE, Cut.WHOLE);
    }

    /** What most texture tables use: random crops train, the centre tests, 224 px. */
    public static Views usualTextures() {
        return new Views(224, Cut.RANDOM, Cut.CENTRE);
    }

    /** What most fine-grained tables use: the same at 448 px. */
    public static Views usualFineGrained() {
        return new Views(448, Cut.RANDOM, Cut.CENTRE);
    }

    /** In passports: {@code train 10random+centre+4corners, test centre+4corners}. */
    public String crops() {
        return "train " + training.description() + ", test " + test.description();
    }
}
