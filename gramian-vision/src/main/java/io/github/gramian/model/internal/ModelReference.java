package io.github.gramian.model.internal;

import io.github.gramian.eval.conformal.internal.PredictionSets;
import io.github.gramian.eval.conformal.internal.SetScores;
import io.github.gramian.io.internal.Text;
import io.github.gramian.model.novelty.internal.ClassDensities;
import io.github.gramian.model.novelty.internal.Half;
import io.github.gramian.model.novelty.internal.LikelihoodRatio;
import io.github.gramian.model.novelty.internal.NearestPrototypes;
import io.github.gramian.model.novelty.internal.NoveltyReference;
import io.github.gramian.model.novelty.internal.NoveltyScore;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * What a model stores about images that it was trained or validated with, so that it can say how much its answers are worth:
 * a part of its file, under the names of {@code docs/model-format.md}. Models of earlier versions have none.
 *
 * @param novelty for telling unknown images
 * @param sets for sets of classes
 */
public record ModelReference(Optional<NoveltyReference> novelty, Optional<SetScores> sets) {

    /** How the names of its tensors start. */
    static final String NOVELTY = "novelty/";

    static final String SETS = "sets/";

    private static final String NO_NOVELTY =
            "the model has no novelty: no image was left to calibrate it; train it again with"
                    + " at least 4 images or, if gradient descent trains it, with 20 validation images";
    private static final String NO_SETS =
            "the model has no sets of classes: no image was left to calibrate them; train it"
                    + " again with 9 validation images";

    private static final double USUAL_LEVEL = 0.05;
    private static final double USUAL_COVERAGE = 0.9;

    /** 1 / 0.05 is a little less than 20. */
    private static final double ROUNDING = 1e-9;

    private static final String MEAN = NOVELTY + "mean";
    private static final String COMPONENTS = NOVELTY + "components";
    private static final String PROTOTYPES = NOVELTY + "prototypes";
    private static final String CALIBRATION = NOVELTY + "calibration";

    /** Programs that only know the first version take a model with the second for one without a reference. */
    private static final String SECOND = NOVELTY + "2/";

    private static final String SECOND_MEAN = SECOND + "mean";
    private static final String SECOND_SCALE = SECOND + "scale";
    private static final String SECOND_COMPONENTS = SECOND + "components";
    private static final String SECOND_WHITENING = SECOND + "whitening";
    private static final String SECOND_MEANS = SECOND + "class-means";
    private static final String SECOND_COUNTS = SECOND + "class-counts";
    private static final String SECOND_SPREAD = SECOND + "spread";

    /** Of a model without one. */
    public static ModelReference none() {
        return new ModelReference(Optional.empty(), Optional.empty());
    }

    /** What tells unknown images; refuses a model that has none. */
    public NoveltyReference requireNovelty() {
        return novelty.orElseThrow(() -> new IllegalArgumentException(NO_NOVELTY));
    }

    /** What gives sets of classes; refuses a model that has none. */
    public SetScores requireSets() {
        return sets.orElseThrow(() -> new IllegalArgumentException(NO_SETS));
    }

    /** What the model cannot answer at the levels that most people ask for, in sentences. */
    public List<String> limits() {
        return Stream.of(
                        novelty.isEmpty() ? Optional.of(NO_NOVELTY) : unknownNote(USUAL_LEVEL),
                        sets.isEmpty() ? Optional.of(NO_SETS) : setsNote(USUAL_COVERAGE))
                .flatMap(Optional::stream)
                .toList();
    }

    /** Why few images or none can be unknown at a level; empty if there are enough images. */
    public Optional<String> unknownNote(double level) {
        NoveltyReference reference = requireNovelty();
        int needed = (int) Math.floor(1 / level + ROUNDING);
        return note(reference.calibrationCount(), needed, "a level of " + plain(level), "no image is called unknown")
                .or(() -> singles(reference.score()) > level
                        ? Optional.of(
                                "many classes of this model have a single training image, so few unknown images are"
                                        + " recognised; train with at least two images per class")
                        : Optional.empty());
    }

    /** Share of training images that are the only one of their class: without it, it looks like an unknown image. */
    private static double singles(NoveltyScore score) {
        if (!(score instanceof LikelihoodRatio ratio)) {
            return 0;
        }
        int single = 0;
        for (float count : ratio.densities().counts()) {
            single += count < 2 ? 1 : 0;
        }
        return (double) single / Math.max(1, score.images());
    }

    /** Why every set holds all classes; empty if there are enough calibration images. */
    public Optional<String> setsNote(double coverage) {
        int count = requireSets().scores().length;
        return note(
                count,
                PredictionSets.fewestScores(coverage),
                "a coverage of " + plain(coverage),
                "every set holds all classes");
    }

    private static String plain(double level) {
        return BigDecimal.valueOf(level).stripTrailingZeros().toPlainString();
    }

    private static Optional<String> note(int count, int needed, String asked, String consequence) {
        return count >= needed
                ? Optional.empty()
                : Optional.of(asked + " needs " + Text.count(needed, "calibration image") + " and the model has "
                        + count + ", so " + consequence);
    }

    /** Its arrays, by the names of their tensors. */
    Map<String, StoredArray> arrays() {
        Map<String, StoredArray> arrays = new TreeMap<>();
        novelty.ifPresent(known -> {
            if (known.score() instanceof NearestPrototypes nearest) {
                addFirst(nearest, arrays);
            } else if (known.score() instanceof LikelihoodRatio ratio) {
                addSecond(ratio.densities(), arrays);
            }
            arrays.put(CALIBRATION, StoredArray.of(known.calibration()));
        });
        sets.ifPresent(known -> arrays.put(SETS + known.source().key(), StoredArray.of(known.scores())));
        return arrays;
    }

    private static void addFirst(NearestPrototypes known, Map<String, StoredArray> arrays) {
        arrays.put(MEAN, StoredArray.of(known.mean()));
        arrays.put(COMPONENTS, StoredArray.matrix(known.components(), known.rank()));
        arrays.put(PROTOTYPES, StoredArray.matrix(known.prototypes(), known.images()));
    }

    private static void addSecond(ClassDensities known, Map<String, StoredArray> arrays) {
        int rank = known.spread().length - 1;
        arrays.put(SECOND_MEAN, StoredArray.of(known.mean()));
        arrays.put(SECOND_SCALE, StoredArray.of(new float[] {known.scale()}));
        arrays.put(SECOND_COMPONENTS, StoredArray.matrix(Half.bits(known.components()), rank));
        arrays.put(SECOND_WHITENING, StoredArray.matrix(Half.bits(known.whitening()), rank));
        arrays.put(SECOND_MEANS, StoredArray.matrix(Half.bits(known.means()), known.counts().length));
        arrays.put(SECOND_COUNTS, StoredArray.of(known.counts()));
        arrays.put(SECOND_SPREAD, StoredArray.of(known.spread()));
    }

    /** Whether a tensor of this name belongs to a reference. */
    static boolean isOwn(String name) {
        return name.startsWith(NOVELTY) || name.startsWith(SETS);
    }

    /**
     * The reference that consists of these arrays; others are ignored, since a newer version may have added them.
     *
     * @throws IllegalArgumentException if an array is missing, or does not fit the others
     */
    static ModelReference of(Map<String, StoredArray> arrays) {
        return new ModelReference(noveltyOf(arrays), setsOf(arrays));
    }

    private static Optional<NoveltyReference> noveltyOf(Map<String, StoredArray> arrays) {
        Optional<NoveltyScore> score = arrays.containsKey(SECOND_MEAN)
                ? Optional.of(second(arrays))
                : arrays.containsKey(MEAN) ? Optional.of(first(arrays)) : Optional.empty();
        return score.map(
                one -> new NoveltyReference(one, required(arrays, CALIBRATION).vector()));
    }

    private static NoveltyScore first(Map<String, StoredArray> arrays) {
        float[] mean = required(arrays, MEAN).vector();
        StoredArray components = required(arrays, COMPONENTS);
        StoredArray prototypes = required(arrays, PROTOTYPES);
        short[] rows = components.halves();
        if (components.columns() != mean.length || prototypes.columns() * mean.length != rows.length) {
            throw new IllegalArgumentException("the arrays of its novelty reference do not fit each other");
        }
        return new NearestPrototypes(mean, rows, prototypes.halves());
    }

    private static NoveltyScore second(Map<String, StoredArray> arrays) {
        float[] mean = required(arrays, SECOND_MEAN).vector();
        float[] scale = required(arrays, SECOND_SCALE).vector();
        float[] spread = required(arrays, SECOND_SPREAD).vector();
        if (scale.length != 1) {
            throw new IllegalArgumentException("its novelty reference has " + scale.length + " scales");
        }
        return new LikelihoodRatio(new ClassDensities(
                mean,
                scale[0],
                matrix(arrays, SECOND_COMPONENTS, mean.length),
                matrix(arrays, SECOND_WHITENING, spread.length - 1),
                matrix(arrays, SECOND_MEANS, spread.length - 1),
                required(arrays, SECOND_COUNTS).vector(),
                spread));
    }

    /** A matrix with this number of columns. */
    private static float[] matrix(Map<String, StoredArray> arrays, String name, int columns) {
        StoredArray matrix = required(arrays, name);
        float[] values = Half.values(matrix.halves());
        if (matrix.columns() != columns) {
            throw new IllegalArgumentException(
                    "the tensor " + name + " has " + matrix.columns() + " columns and must have " + columns);
        }
        return values;
    }

    private static Optional<SetScores> setsOf(Map<String, StoredArray> arrays) {
        for (SetScores.Source source : SetScores.Source.values()) {
            StoredArray scores = arrays.get(SETS + source.key());
            if (scores != null) {
                return Optional.of(new SetScores(source, scores.vector()));
            }
        }
        return Optional.empty();
    }

    private static StoredArray required(Map<String, StoredArray> arrays, String name) {
        StoredArray array = arrays.get(name);
        if (array == null) {
            throw new IllegalArgumentException("it lacks the tensor " + name);
        }
        return array;
    }
}
