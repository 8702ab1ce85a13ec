package io.github.gramian.model.internal;

import io.github.gramian.eval.conformal.internal.SetScores;
import io.github.gramian.model.novelty.internal.NoveltyReference;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

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

    private static final String MEAN = NOVELTY + "mean";
    private static final String COMPONENTS = NOVELTY + "components";
    private static final String PROTOTYPES = NOVELTY + "prototypes";
    private static final String CALIBRATION = NOVELTY + "calibration";

    /** Of a model without one. */
    public static ModelReference none() {
        return new ModelReference(Optional.empty(), Optional.empty());
    }

    /** Its arrays, by the names of their tensors. */
    Map<String, StoredArray> arrays() {
        Map<String, StoredArray> arrays = new TreeMap<>();
        novelty.ifPresent(known -> {
            arrays.put(MEAN, StoredArray.of(known.mean()));
            arrays.put(COMPONENTS, StoredArray.matrix(known.components(), known.rank()));
            arrays.put(PROTOTYPES, StoredArray.matrix(known.prototypes(), known.prototypeCount()));
            arrays.put(CALIBRATION, StoredArray.of(known.calibration()));
        });
        sets.ifPresent(known -> arrays.put(SETS + known.source().key(), StoredArray.of(known.scores())));
        return arrays;
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
        if (!arrays.containsKey(MEAN)) {
            return Optional.empty();
        }
        float[] mean = required(arrays, MEAN).vector();
        StoredArray components = required(arrays, COMPONENTS);
        StoredArray prototypes = required(arrays, PROTOTYPES);
        short[] rows = components.halves();
        if (components.columns() != mean.length || prototypes.columns() * mean.length != rows.length) {
            throw new IllegalArgumentException("the arrays of its novelty reference do not fit each other");
        }
        return Optional.of(new NoveltyReference(
                mean, rows, prototypes.halves(), required(arrays, CALIBRATION).vector()));
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
