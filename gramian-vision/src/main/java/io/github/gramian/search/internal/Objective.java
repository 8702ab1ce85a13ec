package io.github.gramian.search.internal;

import io.github.gramian.image.corruption.internal.CorruptionType;
import io.github.gramian.recipe.ViewsConfig;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** What a search makes as large as possible, in folds of the labelled images. */
public enum Objective {
    /** The accuracy on the images as they are. */
    ACCURACY,

    /** The mean accuracy on corrupted copies, with corruptions that no candidate was fitted to. */
    ROBUST;

    /** Images count once for each version that is fitted or evaluated, and the cost of fits grows with the cube. */
    private static final int MAX_CORRUPTED_IMAGES = 1000;

    /** The corruptions of each family of ImageNet-C, the first choice first. */
    private static final List<List<CorruptionType>> FAMILIES = List.of(
            List.of(CorruptionType.SHOT_NOISE, CorruptionType.IMPULSE_NOISE, CorruptionType.GAUSSIAN_NOISE),
            List.of(
                    CorruptionType.MOTION_BLUR,
                    CorruptionType.ZOOM_BLUR,
                    CorruptionType.GLASS_BLUR,
                    CorruptionType.DEFOCUS_BLUR),
            List.of(CorruptionType.SNOW, CorruptionType.ICE, CorruptionType.BRIGHTNESS, CorruptionType.FOG),
            List.of(
                    CorruptionType.PIXELATE,
                    CorruptionType.CONTRAST,
                    CorruptionType.ELASTIC_TRANSFORM,
                    CorruptionType.JPEG_COMPRESSION));

    /** The space that is searched if none is given. */
    public SearchSpace space() {
        return this == ROBUST ? SearchSpace.robust() : SearchSpace.standard();
    }

    /** The largest number of images that a search takes. */
    int maxImages() {
        return this == ROBUST ? MAX_CORRUPTED_IMAGES : SearchImages.MAX;
    }

    /** Corruptions to evaluate candidates on: one of each family, where one is left that no candidate is fitted to. */
    List<CorruptionType> unseen(List<Candidate> candidates) {
        Set<String> fitted = new HashSet<>();
        candidates.forEach(candidate -> fitted.addAll(candidate.recipe().views().copiedCorruptions()));
        List<CorruptionType> unseen = FAMILIES.stream()
                .map(family -> family.stream()
                        .filter(type -> !fitted.contains(type.key()))
                        .findFirst())
                .flatMap(Optional::stream)
                .toList();
        if (unseen.isEmpty()) {
            throw new IllegalArgumentException("views.copies have every corruption, so none is left to evaluate"
                    + " candidates on; leave some out");
        }
        return unseen;
    }

    /**
     * The changes of a left-out image, one for each repetition of the folds: a random corruption of these at a random severity.
     * None where images are evaluated as they are.
     */
    Optional<ViewsConfig> evaluated(ViewsConfig views, List<CorruptionType> unseen) {
        if (this == ACCURACY) {
            return Optional.empty();
        }
        String change = "corrupt:"
                + String.join(",", unseen.stream().map(CorruptionType::key).toList()) + ":1-5";
        List<String> changes = new ArrayList<>(Collections.nCopies(StratifiedFolds.REPETITIONS, change));
        return Optional.of(new ViewsConfig(
                views.decoding(),
                views.margin(),
                views.training(),
                views.augment(),
                views.test(),
                String.join("+", changes)));
    }
}
